#include "engine_workload.h"

#include <algorithm>
#include <set>

#include "base/posting_chunk.h"

namespace wherestar::fractal_tree {
namespace {

constexpr size_t kKeysPerLetter = 400;

// Values as the model understands them.
std::string add_counters(const std::string& base, const std::vector<int64_t>& operand) {
  std::vector<int64_t> sum = decode_counters(base).value();
  sum.resize(std::max(sum.size(), operand.size()));
  for (size_t i = 0; i < operand.size(); ++i) sum[i] += operand[i];
  const bool zero = std::all_of(sum.begin(), sum.end(), [](int64_t n) { return n == 0; });
  return zero ? std::string() : encode_counters(sum);
}

std::string max_register(const std::string& base, Register change) {
  std::map<uint16_t, uint8_t> registers;
  const auto decoded = decode_registers(base);
  for (const Register& entry : *decoded) registers[entry.index] = entry.rank;
  registers[change.index] = std::max(registers[change.index], change.rank);
  std::vector<Register> all;
  for (const auto& [index, rank] : registers) all.push_back({index, rank});
  return encode_registers(all);
}

std::string change_posting(const std::string& base, uint16_t member, bool add) {
  std::set<uint16_t> members;
  const auto parsed = parse_posting_chunk(base);
  for (const PostingMember& entry : *parsed) members.insert(entry.member);
  if (add) {
    members.insert(member);
  } else {
    members.erase(member);
  }
  if (members.empty()) return {};
  std::string chunk;  // the sorted list of base/posting_chunk.h, of less than 64 members
  chunk.push_back(static_cast<char>(members.size() << 1));
  for (const uint16_t entry : members) {
    chunk.push_back(static_cast<char>(entry & 0xff));
    chunk.push_back(static_cast<char>(entry >> 8));
  }
  return chunk;
}

void store(DictionaryState& state, const std::string& key, std::string value) {
  if (value.empty()) {
    state.erase(key);
  } else {
    state[key] = std::move(value);
  }
}

}  // namespace

DictionaryOptions tiny_dictionary() {
  DictionaryOptions options;
  options.leaf_bytes = 512;
  options.basement_bytes = 128;
  options.buffer_bytes = 256;
  options.fanout = 4;
  options.overflow_value_bytes = 300;
  return options;
}

EngineOptions tiny_engine(FileSystem& fs) {
  EngineOptions options;
  options.file_system = &fs;
  options.cache_bytes = 256 << 10;
  options.memory_front_bytes = 8 << 10;
  options.log_segment_bytes = 16 << 10;
  options.checkpoint_log_bytes = 24 << 10;
  options.checkpoint_interval_ms = 0;
  options.background_threads = false;
  return options;
}

std::string describe_difference(const EngineState& expected, const EngineState& found) {
  for (const auto& [name, state] : expected) {
    const auto other = found.find(name);
    if (other == found.end()) return "dictionary " + name + " is missing";
    for (const auto& [key, value] : state) {
      const auto at = other->second.find(key);
      if (at == other->second.end()) return name + ": key " + key + " is missing";
      if (at->second != value) return name + ": key " + key + " has another value";
    }
    for (const auto& [key, value] : other->second)
      if (!state.contains(key)) return name + ": key " + key + " should not be there";
  }
  return {};
}

Result<EngineState> read_state(Engine& engine, const ReadView& view) {
  EngineState found;
  for (const DictionaryCounters& dictionary : engine.counters().dictionaries) {
    ASSIGN_OR_RETURN(const DictionaryId id, engine.dictionary(dictionary.name, {}));
    DictionaryState& state = found[dictionary.name];
    const auto cursor = engine.cursor(id, view);
    for (cursor->seek_to_first(); cursor->valid(); cursor->next())
      state.emplace_hint(state.end(), cursor->key(), cursor->value());
    RETURN_IF_ERROR(cursor->status());
    auto expected = state.rbegin();
    for (cursor->seek_to_last(); cursor->valid(); cursor->previous()) {
      if (expected == state.rend() || expected->first != cursor->key() ||
          expected->second != cursor->value())
        return fail(ErrorCode::kInternal, "backwards differs from forwards");
      ++expected;
    }
    RETURN_IF_ERROR(cursor->status());
    if (expected != state.rend()) return fail(ErrorCode::kInternal, "backwards ends early");
    size_t number = 0;
    for (const auto& [key, value] : state) {
      if (++number % 7 != 0) continue;
      ASSIGN_OR_RETURN(const auto read, engine.get(id, key, view));
      if (!read || *read != value) return fail(ErrorCode::kInternal, "get differs from cursor");
    }
  }
  return found;
}

EngineWorkload::EngineWorkload(uint64_t seed) : random_(seed) {}

Status EngineWorkload::open(const EngineOptions& options) {
  ASSIGN_OR_RETURN(auto engine, Engine::open(kEnginePath, options));
  for (const char* name : {"alpha", "beta", "gamma"}) {
    ASSIGN_OR_RETURN(ids_[name], engine->dictionary(name, tiny_dictionary()));
    for (EngineState& state : states_) state[name];
  }
  engine_ = std::move(engine);
  return {};
}

std::string EngineWorkload::random_key(char letter) {
  const size_t number = below(4) == 0 ? below(20) : below(kKeysPerLetter);
  std::string key(1, letter);
  key += std::to_string(number);
  if (number % 3 == 0) key += std::string(number % 40, 'x');
  return key;
}

void EngineWorkload::random_merge(WriteBatch& batch, DictionaryId id, DictionaryState& state,
                                  char letter) {
  const std::string key = random_key(letter);
  const auto found = state.find(key);
  const std::string base = found == state.end() ? std::string() : found->second;
  if (letter == 'c') {
    std::vector<int64_t> operand(1 + below(3));
    for (int64_t& n : operand) n = static_cast<int64_t>(below(5)) - 2;
    batch.merge(id, key, MergeKind::kAddCounters, encode_counters(operand));
    store(state, key, add_counters(base, operand));
  } else if (letter == 'r') {
    const Register change{static_cast<uint16_t>(below(30)), static_cast<uint8_t>(1 + below(50))};
    batch.merge(id, key, MergeKind::kMaxRegisters, encode_registers({&change, 1}));
    store(state, key, max_register(base, change));
  } else {
    const auto member = static_cast<uint16_t>(below(40));
    const bool add = below(3) != 0;
    std::string operand;
    put_posting_operand(operand, member, add);
    batch.merge(id, key, MergeKind::kPostings, operand);
    store(state, key, change_posting(base, member, add));
  }
}

void EngineWorkload::random_change(WriteBatch& batch, const std::string& name,
                                   DictionaryState& state) {
  const DictionaryId id = ids_.at(name);
  const char letter = "aabbccpprrz"[below(11)];
  const size_t dice = below(100);
  if (dice == 0) {  // a wide range
    std::string begin = random_key("acprz"[below(5)]);
    std::string end = random_key("acprz"[below(5)]);
    if (end < begin) std::swap(begin, end);
    if (below(3) != 0) end = begin.substr(0, 2) + "5";
    batch.erase_range(id, begin, end);
    if (begin < end) state.erase(state.lower_bound(begin), state.lower_bound(end));
  } else if (dice < 20) {
    const std::string key = random_key(letter);
    batch.erase(id, key);
    state.erase(key);
  } else if (letter == 'c' || letter == 'p' || letter == 'r') {
    random_merge(batch, id, state, letter);
  } else {
    const std::string key = random_key(letter);
    const size_t bytes = below(12) == 0 ? 250 + below(300) : 1 + below(40);
    std::string value(bytes, ' ');
    for (char& c : value) c = static_cast<char>('a' + below(26));
    batch.put(id, key, value);
    state[key] = value;
  }
}

WriteBatch EngineWorkload::random_batch(EngineState& state, size_t changes) {
  WriteBatch batch;
  for (size_t i = 0; i < changes; ++i) {
    const char* name = below(10) < 7 ? "alpha" : below(2) == 0 ? "beta" : "gamma";
    random_change(batch, name, state[name]);
  }
  return batch;
}

Status EngineWorkload::commit_random(Durability durability) {
  EngineState next = states_.back();
  WriteBatch batch = random_batch(next, 1 + below(below(10) == 0 ? 120 : 25));
  states_.push_back(std::move(next));
  RETURN_IF_ERROR(engine_->commit(std::move(batch), durability));
  acknowledged_ = states_.size() - 1;
  return {};
}

void EngineWorkload::restart_from(EngineState state) {
  states_.assign(1, std::move(state));
  acknowledged_ = 0;
}

int EngineWorkload::find_state(const EngineState& found, size_t least) const {
  for (size_t i = states_.size(); i-- > least;)
    if (describe_difference(states_[i], found).empty()) return static_cast<int>(i);
  return -1;
}

}  // namespace wherestar::fractal_tree
