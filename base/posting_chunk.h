// A posting chunk: the members of one posting list whose DocIds share all bits but the lowest 16.
//
// The index decides what a member means and the fractal tree merges chunks without knowing it, so
// their common format lives here. A member is 16 bits and may carry a payload of at most 255 bytes.
//
//   chunk   = varint count << 1 | has_payload, then the members ascending:
//             sorted list (count <= 4096):  u16 little-endian each
//             bitmap      (count >  4096):  8192 bytes, bit i of byte i / 8
//             then, with has_payload, per member in order: u8 length, bytes
//   operand = varint count, then per change ascending by member:
//             u16 member, u8 kind (0 remove, 1 add, 2 add with payload), [u8 length, bytes]
//
// Every byte read is untrusted: parsing refuses an unsorted, truncated, oversized or trailing form.
// In a merge the later change of a member wins; a chunk without members is written as the empty
// string, which the tree treats as absence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wherestar {

struct PostingChange {
  uint16_t member = 0;
  bool add = true;
  std::string_view payload;  // empty: none
};

// The operand that makes these changes; they need not be sorted, the last one of a member counts.
std::string encode_posting_operand(std::vector<PostingChange> changes);
// The usual operand, of one change, appended to `out` without allocation.
void put_posting_operand(std::string& out, uint16_t member, bool add);

// Puts a change into an operand where both are of the usual form, without payloads: cheap, and with
// ascending members amortised constant. False, and nothing done, for any other form.
bool merge_posting_change(std::string& operand, std::string_view change);

// kCorruption if either input is damaged.
Result<std::string> merge_posting_operands(std::string_view older, std::string_view newer);
Result<std::string> apply_posting_operand(std::string_view chunk, std::string_view operand);

struct PostingMember {
  uint16_t member = 0;
  std::string_view payload;  // lives as long as the chunk's bytes
};
// All members, ascending. kCorruption if damaged. An empty chunk has none.
Result<std::vector<PostingMember>> parse_posting_chunk(std::string_view chunk);
// Members only, appended to `out` as (high << 16 | member); cheaper than parse_posting_chunk.
Status append_posting_members(std::string_view chunk, uint64_t high, std::vector<uint64_t>& out);
Result<uint32_t> count_posting_members(std::string_view chunk);  // validates the header only

}  // namespace wherestar
