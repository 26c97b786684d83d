#include "fractal_tree/merge_kinds.h"

#include <algorithm>

#include "base/coding.h"
#include "base/posting_chunk.h"

namespace wherestar::fractal_tree {
namespace {

constexpr size_t kMaxCounters = 4096;

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::kCorruption, "merge operand: " + std::string(what));
}

// Element-wise sum without intermediate vectors; wraps around like int64_t in two's complement.
Result<std::string> add_counters(std::string_view a, std::string_view b) {
  std::string out;
  out.reserve(std::max(a.size(), b.size()) + 2);
  Reader left(a);
  Reader right(b);
  size_t count = 0;
  while (!left.rest().empty() || !right.rest().empty()) {
    const int64_t x = left.rest().empty() ? 0 : unzigzag(left.varint());
    const int64_t y = right.rest().empty() ? 0 : unzigzag(right.varint());
    if (!left.ok() || !right.ok() || ++count > kMaxCounters) return damaged("damaged counters");
    put_varint(out,
               zigzag(static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y))));
  }
  return out;
}

Result<std::string> max_registers(std::string_view a, std::string_view b) {
  ASSIGN_OR_RETURN(const auto left, decode_registers(a));
  ASSIGN_OR_RETURN(const auto right, decode_registers(b));
  std::vector<Register> merged;
  merged.reserve(left.size() + right.size());
  for (auto i = left.begin(), j = right.begin(); i != left.end() || j != right.end();) {
    if (j == right.end() || (i != left.end() && i->index < j->index)) {
      merged.push_back(*i++);
    } else if (i == left.end() || j->index < i->index) {
      merged.push_back(*j++);
    } else {
      merged.push_back({i->index, std::max(i->rank, j->rank)});
      ++i;
      ++j;
    }
  }
  return encode_registers(merged);
}

}  // namespace

std::string encode_counters(std::span<const int64_t> counters) {
  std::string out;
  for (const int64_t counter : counters) put_varint(out, zigzag(counter));
  return out;
}

Result<std::vector<int64_t>> decode_counters(std::string_view bytes) {
  std::vector<int64_t> counters;
  Reader reader(bytes);
  while (!reader.rest().empty()) {
    counters.push_back(unzigzag(reader.varint()));
    if (!reader.ok() || counters.size() > kMaxCounters) return damaged("damaged counters");
  }
  return counters;
}

std::string encode_registers(std::span<const Register> registers) {
  std::string out;
  out.reserve(registers.size() * 3);
  for (const Register& entry : registers) {
    put_fixed<uint16_t>(out, entry.index);
    put_fixed<uint8_t>(out, entry.rank);
  }
  return out;
}

Result<std::vector<Register>> decode_registers(std::string_view bytes) {
  if (bytes.size() % 3 != 0) return damaged("registers of a wrong length");
  std::vector<Register> registers;
  registers.reserve(bytes.size() / 3);
  Reader reader(bytes);
  while (!reader.rest().empty()) {
    Register entry;
    entry.index = reader.fixed<uint16_t>();
    entry.rank = reader.fixed<uint8_t>();
    if (!registers.empty() && registers.back().index >= entry.index)
      return damaged("unsorted registers");
    registers.push_back(entry);
  }
  return registers;
}

Result<std::string> merge_operands(MergeKind kind, std::string_view older, std::string_view newer) {
  switch (kind) {
    case MergeKind::kAddCounters:
      return add_counters(older, newer);
    case MergeKind::kMaxRegisters:
      return max_registers(older, newer);
    case MergeKind::kPostings:
      return merge_posting_operands(older, newer);
  }
  return damaged("an unknown kind");
}

namespace {

Result<std::string> apply(MergeKind kind, std::string_view base, std::string_view operand) {
  switch (kind) {
    case MergeKind::kAddCounters:
      return add_counters(base, operand);
    case MergeKind::kMaxRegisters:
      return max_registers(base, operand);
    case MergeKind::kPostings:
      return apply_posting_operand(base, operand);
  }
  return damaged("an unknown kind");
}

}  // namespace

Result<std::string> apply_operand(MergeKind kind, std::string_view base, std::string_view operand) {
  auto value = apply(kind, base, operand);
  // Operands were checked when they were committed. A base that was put and is no value of the kind
  // counts as absent, or a caller's mistake would stop the store for ever.
  if (!value && !base.empty()) return apply(kind, {}, operand);
  return value;
}

Status check_operand(MergeKind kind, std::string_view operand) {
  // The usual one, a member added or removed, without the work of applying it.
  if (kind == MergeKind::kPostings && operand.size() == 4 && operand[0] == 1 &&
      static_cast<uint8_t>(operand[3]) <= 1)
    return {};
  if (auto value = apply(kind, {}, operand); !value)
    return fail(ErrorCode::kInvalidArgument, std::move(value).error().message);
  return {};
}

bool means_absent(MergeKind kind, std::string_view value) {
  if (kind != MergeKind::kAddCounters) return value.empty();
  return std::all_of(value.begin(), value.end(), [](char byte) { return byte == 0; });
}

}  // namespace wherestar::fractal_tree
