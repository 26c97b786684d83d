#include "base/posting_chunk.h"

#include <algorithm>
#include <bit>

#include "base/coding.h"

namespace wherestar {
namespace {

constexpr uint64_t kMaxSortedMembers = 4096;
constexpr uint64_t kMaxMembers = 65536;
constexpr size_t kBitmapBytes = 8192;
constexpr size_t kMaxPayloadBytes = 255;

enum ChangeKind : uint8_t { kRemove = 0, kAdd = 1, kAddWithPayload = 2 };

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::kCorruption, "posting chunk: " + std::string(what));
}

void put_change(std::string& out, const PostingChange& change) {
  put_fixed<uint16_t>(out, change.member);
  if (!change.add) {
    out.push_back(static_cast<char>(kRemove));
  } else if (change.payload.empty()) {
    out.push_back(static_cast<char>(kAdd));
  } else {
    const std::string_view payload = change.payload.substr(0, kMaxPayloadBytes);
    out.push_back(static_cast<char>(kAddWithPayload));
    out.push_back(static_cast<char>(payload.size()));
    out.append(payload);
  }
}

Result<std::vector<PostingChange>> parse_operand(std::string_view operand) {
  Reader reader(operand);
  const uint64_t count = reader.varint();
  if (!reader.ok() || count > kMaxMembers || count * 3 > reader.rest().size())
    return damaged("operand with an impossible count");
  std::vector<PostingChange> changes;
  changes.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    PostingChange change;
    change.member = reader.fixed<uint16_t>();
    const auto kind = reader.fixed<uint8_t>();
    change.add = kind != kRemove;
    if (kind == kAddWithPayload) {
      change.payload = reader.take(reader.fixed<uint8_t>());
      if (change.payload.empty()) return damaged("operand with an empty payload");
    } else if (kind > kAddWithPayload) {
      return damaged("operand with an unknown kind");
    }
    if (!reader.ok()) return damaged("truncated operand");
    if (!changes.empty() && changes.back().member >= change.member)
      return damaged("unsorted operand");
    changes.push_back(change);
  }
  if (!reader.done()) return damaged("operand with trailing bytes");
  return changes;
}

struct Header {
  uint64_t count = 0;
  bool has_payload = false;
  std::string_view members;  // list or bitmap
  std::string_view payloads;
};

Result<Header> parse_header(std::string_view chunk) {
  Header header;
  Reader reader(chunk);
  const uint64_t word = reader.varint();
  header.count = word >> 1;
  header.has_payload = (word & 1) != 0;
  if (!reader.ok() || header.count == 0 || header.count > kMaxMembers)
    return damaged("impossible count");
  header.members = reader.take(header.count <= kMaxSortedMembers ? header.count * 2 : kBitmapBytes);
  if (!reader.ok()) return damaged("truncated members");
  header.payloads = reader.rest();
  if (!header.has_payload && !header.payloads.empty()) return damaged("trailing bytes");
  return header;
}

// Calls visit(member) ascending.
template <class Visit>
Status visit_members(const Header& header, Visit visit) {
  if (header.count <= kMaxSortedMembers) {
    int previous = -1;
    Reader reader(header.members);
    for (uint64_t i = 0; i < header.count; ++i) {
      const auto member = reader.fixed<uint16_t>();
      if (static_cast<int>(member) <= previous) return damaged("unsorted members");
      previous = member;
      visit(member);
    }
    return {};
  }
  uint64_t found = 0;
  Reader reader(header.members);
  for (uint32_t at = 0; at < kMaxMembers; at += 64) {
    auto bits = reader.fixed<uint64_t>();
    found += static_cast<uint64_t>(std::popcount(bits));
    for (; bits != 0; bits &= bits - 1)
      visit(static_cast<uint16_t>(at + static_cast<uint32_t>(std::countr_zero(bits))));
  }
  if (found != header.count) return damaged("bitmap and count differ");
  return {};
}

std::string write_chunk(const std::vector<PostingMember>& members) {
  if (members.empty()) return {};
  const bool has_payload =
      std::any_of(members.begin(), members.end(), [](const auto& m) { return !m.payload.empty(); });
  std::string out;
  put_varint(out, members.size() << 1 | (has_payload ? 1 : 0));
  if (members.size() <= kMaxSortedMembers) {
    out.reserve(out.size() + members.size() * 2);
    for (const PostingMember& member : members) put_fixed<uint16_t>(out, member.member);
  } else {
    const size_t begin = out.size();
    out.resize(begin + kBitmapBytes);
    for (const PostingMember& member : members) {
      char& byte = out[begin + member.member / 8];
      byte = static_cast<char>(byte | 1 << member.member % 8);
    }
  }
  if (has_payload) {
    for (const PostingMember& member : members) {
      out.push_back(static_cast<char>(member.payload.size()));
      out.append(member.payload);
    }
  }
  return out;
}

}  // namespace

std::string encode_posting_operand(std::vector<PostingChange> changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.member < b.member; });
  std::vector<PostingChange> kept;  // the last change of each member
  for (const PostingChange& change : changes) {
    if (!kept.empty() && kept.back().member == change.member) kept.pop_back();
    kept.push_back(change);
  }
  std::string out;
  put_varint(out, kept.size());
  for (const PostingChange& change : kept) put_change(out, change);
  return out;
}

void put_posting_operand(std::string& out, uint16_t member, bool add) {
  out.push_back(1);
  put_fixed<uint16_t>(out, member);
  out.push_back(static_cast<char>(add ? kAdd : kRemove));
}

bool merge_posting_change(std::string& operand, std::string_view change) {
  constexpr size_t kChangeBytes = 3;  // without payload
  if (change.size() != 1 + kChangeBytes || change[0] != 1 || static_cast<uint8_t>(change[3]) > 1)
    return false;
  Reader reader(operand);
  const uint64_t count = reader.varint();
  const size_t head = operand.size() - reader.rest().size();
  if (!reader.ok() || count == 0 || reader.rest().size() != count * kChangeBytes) return false;
  const auto member_at = [](const char* at) {
    return static_cast<uint16_t>(static_cast<uint8_t>(at[0]) |
                                 static_cast<uint16_t>(static_cast<uint8_t>(at[1])) << 8);
  };
  const uint16_t member = member_at(change.data() + 1);
  size_t low = 0;
  size_t high = count;
  if (member_at(operand.data() + operand.size() - kChangeBytes) < member)
    low = high;  // the usual case
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (member_at(operand.data() + head + middle * kChangeBytes) < member) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const size_t place = head + low * kChangeBytes;
  if (low < count && member_at(operand.data() + place) == member) {
    operand[place + 2] = change[3];
    return true;
  }
  operand.insert(place, change.substr(1));
  std::string grown;
  put_varint(grown, count + 1);
  operand.replace(0, head, grown);
  return true;
}

Result<std::string> merge_posting_operands(std::string_view older, std::string_view newer) {
  ASSIGN_OR_RETURN(const auto a, parse_operand(older));
  ASSIGN_OR_RETURN(const auto b, parse_operand(newer));
  std::vector<PostingChange> merged;
  merged.reserve(a.size() + b.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end() || j != b.end();) {
    if (j == b.end() || (i != a.end() && i->member < j->member)) {
      merged.push_back(*i++);
    } else {
      if (i != a.end() && i->member == j->member) ++i;
      merged.push_back(*j++);
    }
  }
  std::string out;
  put_varint(out, merged.size());
  for (const PostingChange& change : merged) put_change(out, change);
  return out;
}

Result<std::string> apply_posting_operand(std::string_view chunk, std::string_view operand) {
  ASSIGN_OR_RETURN(const auto changes, parse_operand(operand));
  ASSIGN_OR_RETURN(const auto members, parse_posting_chunk(chunk));
  std::vector<PostingMember> merged;
  merged.reserve(members.size() + changes.size());
  for (auto i = members.begin(), end = members.end(); const PostingChange& change : changes) {
    while (i != end && i->member < change.member) merged.push_back(*i++);
    if (i != end && i->member == change.member) ++i;
    if (change.add) merged.push_back({change.member, change.payload});
    if (&change == &changes.back()) merged.insert(merged.end(), i, end);
  }
  if (changes.empty()) merged = members;
  return write_chunk(merged);
}

Result<std::vector<PostingMember>> parse_posting_chunk(std::string_view chunk) {
  std::vector<PostingMember> members;
  if (chunk.empty()) return members;
  ASSIGN_OR_RETURN(const Header header, parse_header(chunk));
  members.reserve(header.count);
  RETURN_IF_ERROR(visit_members(header, [&](uint16_t member) { members.push_back({member, {}}); }));
  if (header.has_payload) {
    Reader reader(header.payloads);
    for (PostingMember& member : members) member.payload = reader.take(reader.fixed<uint8_t>());
    if (!reader.done()) return damaged("damaged payloads");
  }
  return members;
}

Status append_posting_members(std::string_view chunk, uint64_t high, std::vector<uint64_t>& out) {
  if (chunk.empty()) return {};
  ASSIGN_OR_RETURN(const Header header, parse_header(chunk));
  out.reserve(out.size() + header.count);
  return visit_members(header, [&](uint16_t member) { out.push_back(high << 16 | member); });
}

Result<uint32_t> count_posting_members(std::string_view chunk) {
  if (chunk.empty()) return 0u;
  ASSIGN_OR_RETURN(const Header header, parse_header(chunk));
  return static_cast<uint32_t>(header.count);
}

}  // namespace wherestar
