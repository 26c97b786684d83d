#include "storage_workload.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/checksum.h"
#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

std::string sealed(std::string bytes) {
  put_fixed(bytes, checksum64(bytes, 1));
  return bytes;
}

bool is_sealed(const std::string& bytes) {
  if (bytes.size() < 8) return false;
  const std::string_view body = std::string_view(bytes).substr(0, bytes.size() - 8);
  return sealed(std::string(body)) == bytes;
}

Result<std::unique_ptr<Storage>> open_store(MemoryFileSystem& fs) {
  return open_file_storage(kStorePath,
                           {.file_system = &fs, .log_segment_bytes = kWorkloadSegmentBytes});
}

std::string text(DictionaryId id) {
  return std::to_string(static_cast<uint32_t>(id));
}

bool same_root(const StoreRoot& a, const StoreRoot& b) {
  return a.checkpoint == b.checkpoint && a.log_start == b.log_start &&
         a.last_sequence == b.last_sequence && a.next_dictionary_id == b.next_dictionary_id &&
         std::equal(a.dictionaries.begin(), a.dictionaries.end(), b.dictionaries.begin(),
                    b.dictionaries.end(), [](const auto& x, const auto& y) {
                      return x.id == y.id && x.name == y.name && x.root == y.root &&
                             x.tree_state == y.tree_state;
                    });
}

void check_dictionary(Storage& storage, DictionaryId id, const Blocks& expected, Found& found) {
  auto store = storage.blocks(id);
  if (!store) {
    found.error = store.error();
    return;
  }
  std::vector<BlockId> ids;
  for (const auto& [block, content] : expected) {
    ids.push_back(block);
    auto size = (*store)->block_bytes(block);
    auto bytes =
        size ? (*store)->read(block, 0, *size) : Result<std::string>(std::unexpected(size.error()));
    if (!bytes) {
      found.error = bytes.error();
    } else if (!is_sealed(*bytes)) {
      found.error = Error{ErrorCode::kCorruption, (*store)->describe(block)};
    } else if (*bytes != content) {
      found.wrong.push_back((*store)->describe(block) + " has other bytes");
    }
  }
  if ((*store)->blocks() != ids) found.wrong.push_back("other blocks in dictionary " + text(id));
  for (std::string& problem : (*store)->check_space()) found.wrong.push_back(std::move(problem));
}

void check_records(const Expectation& expected, uint64_t start, Found& found) {
  std::vector<WrittenRecord> needed;
  for (const WrittenRecord& record : expected.records)
    if (record.lsn >= start) needed.push_back(record);
  if (found.payloads.size() > needed.size()) {
    found.wrong.push_back("more records than were written");
    return;
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    if (i >= found.payloads.size()) {
      if (needed[i].lsn < expected.durable_up_to) ++found.missing_records;
    } else if (found.payloads[i] != needed[i].payload) {
      found.wrong.push_back("record " + std::to_string(i) + " has other bytes");
    }
  }
}

// Opens, replays and compares; the storage stays open for more.
std::unique_ptr<Storage> open_and_check(MemoryFileSystem& fs, const Expectation& expected,
                                        Found& found) {
  auto storage = open_store(fs);
  if (!storage) {
    found.error = storage.error();
    return nullptr;
  }
  const StoreRoot& root = (*storage)->root();
  const auto state = std::find_if(
      expected.candidates.begin(), expected.candidates.end(),
      [&](const PublishedState& candidate) { return same_root(candidate.root, root); });
  if (state == expected.candidates.end()) {
    found.wrong.push_back("an unknown root of checkpoint " + std::to_string(root.checkpoint));
    return nullptr;
  }
  for (const auto& [id, blocks] : state->dictionaries)
    check_dictionary(**storage, id, blocks, found);
  const Status replayed = (*storage)->replay([&](LogRecord record) -> Status {
    found.payloads.push_back(std::move(record.payload));
    return {};
  });
  if (!replayed) {
    found.error = replayed.error();
    return nullptr;
  }
  check_records(expected, static_cast<uint64_t>(root.log_start), found);
  return *std::move(storage);
}

// Appends a record to what was found, publishes nothing but that dictionary's root again with one
// more block, and looks whether all of it survives another crash.
void go_on_and_check(MemoryFileSystem& fs, std::unique_ptr<Storage> storage,
                     const Expectation& expected, uint64_t seed, Found& found) {
  const std::string payload = "after the crash " + std::to_string(seed);
  std::vector<std::string> payloads = found.payloads;
  payloads.push_back(payload);
  StoreRoot next = storage->root();
  const auto fail_with = [&](const Error& error) { found.wrong.push_back(error.message); };
  if (auto end = storage->log().append(payload); !end) return fail_with(end.error());
  if (Status synced = storage->log().sync(); !synced) return fail_with(synced.error());
  Expectation later;
  PublishedState before;
  for (const PublishedState& state : expected.candidates)
    if (state.root.checkpoint == next.checkpoint && same_root(state.root, next)) before = state;
  later.candidates = {before};
  if (!next.dictionaries.empty()) {
    DictionaryRoot& dictionary = next.dictionaries.front();
    auto store = storage->blocks(dictionary.id);
    if (!store) return fail_with(store.error());
    const std::string content = sealed(std::string(6000, 'z'));
    auto block = (*store)->write(content);
    if (!block) return fail_with(block.error());
    dictionary.root = *block;
    ++next.checkpoint;
    if (Status published = storage->publish(next, {}); !published)
      return fail_with(published.error());
    PublishedState after{next, before.dictionaries};
    after.dictionaries[dictionary.id][*block] = content;
    later.candidates = {after};
  }
  uint64_t lsn = static_cast<uint64_t>(next.log_start);
  for (const std::string& one : payloads) later.records.push_back({lsn++, one});
  later.durable_up_to = lsn;
  auto crashed = fs.crash_clone(seed, {.keep_probability = seed % 2 == 0 ? 0.0 : 0.6});
  storage.reset();
  Found again;
  open_and_check(*crashed, later, again);
  if (again.error) found.wrong.push_back("after going on: " + again.error->message);
  for (std::string& wrong : again.wrong) found.wrong.push_back("after going on: " + wrong);
  if (again.missing_records != 0) found.wrong.push_back("after going on: records are missing");
}

}  // namespace

StorageWorkload::StorageWorkload(MemoryFileSystem& fs, uint64_t seed, uint64_t common_bytes)
    : fs_(fs), random_(seed), common_bytes_(common_bytes) {}

bool StorageWorkload::open() {
  auto storage = open_store(fs_);
  Status status = storage ? (*storage)->replay([](LogRecord) -> Status { return {}; })
                          : Status(std::unexpected(storage.error()));
  if (!status) {
    note(status.error());
    return false;
  }
  storage_ = *std::move(storage);
  return true;
}

void StorageWorkload::close() {
  acknowledged_ = expectation().durable_up_to;
  storage_.reset();
}

void StorageWorkload::note(const Error& error) {
  if (!first_error_) first_error_ = error;
}

void StorageWorkload::step() {
  const uint64_t dice = random_() % 100;
  if (dice < 45)
    write_block();
  else if (dice < 60)
    free_block();
  else if (dice < 62)
    drop_dictionary();
  else if (dice < 70)
    publish();
  else if (dice < 90)
    append();
  else
    sync();
}

void StorageWorkload::write_block() {
  const DictionaryId id{1 + static_cast<uint32_t>(random_() % 3) +
                        (next_dictionary_ > 4 ? next_dictionary_ - 4 : 0)};
  next_dictionary_ = std::max(next_dictionary_, static_cast<uint32_t>(id) + 1);
  std::string content(1 + random_() % (random_() % 5 == 0 ? 50 * common_bytes_ : common_bytes_),
                      '\0');
  for (char& byte : content) byte = static_cast<char>(random_());
  content = sealed(std::move(content));
  auto store = storage_->blocks(id);
  auto block = store ? (*store)->write(content) : Result<BlockId>(std::unexpected(store.error()));
  if (block)
    live_[id][*block] = std::move(content);
  else
    note(block.error());
}

void StorageWorkload::free_block() {
  for (auto& [id, blocks] : live_) {
    if (blocks.empty() || random_() % 2 == 0) continue;
    const auto victim =
        std::next(blocks.begin(), static_cast<ptrdiff_t>(random_() % blocks.size()));
    storage_->blocks(id).value()->free(victim->first);
    blocks.erase(victim);
    return;
  }
}

void StorageWorkload::drop_dictionary() {
  // Only one that the root knows, and never to come again.
  for (const DictionaryRoot& root : storage_->root().dictionaries) {
    if (static_cast<uint32_t>(root.id) + 4 > next_dictionary_ || !live_.contains(root.id)) continue;
    live_.erase(root.id);
    return;
  }
  ++next_dictionary_;  // so that the older ones can be dropped later
}

void StorageWorkload::publish() {
  PublishedState next{storage_->root(), live_};
  ++next.root.checkpoint;
  next.root.next_dictionary_id = next_dictionary_;
  next.root.last_sequence = random_();
  if (random_() % 2 == 0) next.root.log_start = storage_->log().durable_up_to();
  next.root.dictionaries.clear();
  for (const auto& [id, blocks] : live_) {
    const BlockId root = blocks.empty() ? kNoBlock : blocks.rbegin()->first;
    next.root.dictionaries.push_back({id, "name" + text(id), {}, root, "state"});
  }
  if (poisoned_) {  // what the poisoned attempt left on the disk stays possible
    const Status refused = storage_->publish(next.root, {});
    if (refused || refused.error().code != ErrorCode::kPoisoned)
      note({ErrorCode::kInternal, "a poisoned storage published"});
    return;
  }
  publishing_ = next;
  Status status;
  for (int attempt = 0; attempt < 3; ++attempt) {  // as an engine would
    status = storage_->publish(next.root, {});
    if (status) break;
    note(status.error());
    poisoned_ = status.error().code == ErrorCode::kPoisoned;
    if (poisoned_) return;
  }
  if (status) published_ = std::move(next);
  publishing_.reset();
}

void StorageWorkload::append() {
  std::string payload(random_() % (random_() % 8 == 0 ? 15 * common_bytes_ : common_bytes_), '\0');
  for (char& byte : payload) byte = static_cast<char>(random_() % 4 == 0 ? random_() : 'a');
  const auto lsn = static_cast<uint64_t>(storage_->log().end());
  records_.push_back({lsn, std::move(payload)});
  if (auto end = storage_->log().append(records_.back().payload); !end) {
    records_.pop_back();
    note(end.error());
  }
}

void StorageWorkload::sync() {
  const Status status = random_() % 3 == 0 ? storage_->log().write() : storage_->log().sync();
  if (!status) note(status.error());
}

Expectation StorageWorkload::expectation() const {
  Expectation expected{{published_}, records_, acknowledged_};
  if (publishing_) expected.candidates.push_back(*publishing_);
  if (storage_) expected.durable_up_to = static_cast<uint64_t>(storage_->log().durable_up_to());
  return expected;
}

Found check_store(MemoryFileSystem& fs, const Expectation& expected, bool go_on, uint64_t seed) {
  Found found;
  auto storage = open_and_check(fs, expected, found);
  if (storage && go_on && !found.error && found.wrong.empty())
    go_on_and_check(fs, std::move(storage), expected, seed, found);
  return found;
}

}  // namespace wherestar::fractal_tree
