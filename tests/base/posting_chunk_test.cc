#include "base/posting_chunk.h"

#include <map>
#include <random>

#include <doctest/doctest.h>

namespace wherestar {
namespace {

using Model = std::map<uint16_t, std::string>;

std::vector<std::pair<uint16_t, std::string>> contents(std::string_view chunk) {
  const auto members = parse_posting_chunk(chunk);
  REQUIRE(members.has_value());
  std::vector<std::pair<uint16_t, std::string>> result;
  for (const auto& member : *members) result.emplace_back(member.member, member.payload);
  return result;
}

void check_equal(std::string_view chunk, const Model& model) {
  CHECK(contents(chunk) ==
        std::vector<std::pair<uint16_t, std::string>>(model.begin(), model.end()));
  CHECK(*count_posting_members(chunk) == model.size());
}

TEST_CASE("a chunk follows random additions and removals, sorted list and bitmap alike") {
  std::mt19937 random(1);
  for (const uint32_t range : {20u, 500u, 65536u}) {
    Model model;
    std::string chunk;
    for (int round = 0; round < 60; ++round) {
      std::vector<PostingChange> changes;
      const size_t count = range == 65536 ? 400 : 5;
      for (size_t i = 0; i < count; ++i) {
        const auto member = static_cast<uint16_t>(random() % range);
        const bool add = random() % 4 != 0;
        const std::string_view payload = random() % 3 == 0 ? "12" : "";
        changes.push_back({member, add, payload});
        if (add) {
          model[member] = payload;
        } else {
          model.erase(member);
        }
      }
      chunk = *apply_posting_operand(chunk, encode_posting_operand(changes));
      check_equal(chunk, model);
    }
    if (range == 65536) CHECK(model.size() > 4096);
  }
}

TEST_CASE("merging operands and applying the result equals applying them one after the other") {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::string base, one, two;
    for (std::string* operand : {&base, &one, &two}) {
      std::vector<PostingChange> changes;
      for (size_t i = random() % 6; i > 0; --i)
        changes.push_back({static_cast<uint16_t>(random() % 10), random() % 2 == 0,
                           random() % 3 == 0 ? "p" : ""});
      *operand = encode_posting_operand(changes);
    }
    const std::string chunk = *apply_posting_operand("", base);
    const std::string apart = *apply_posting_operand(*apply_posting_operand(chunk, one), two);
    CHECK(*apply_posting_operand(chunk, *merge_posting_operands(one, two)) == apart);
  }
}

TEST_CASE("putting single changes into an operand is the same as merging them") {
  std::mt19937 random(7);
  for (const uint32_t range : {10u, 300u, 65536u}) {
    std::string quick;
    put_posting_operand(quick, 5, true);
    std::string slow = quick;
    uint32_t ascending = 6;
    for (int i = 0; i < 400; ++i) {
      std::string change;
      const auto member = random() % 3 == 0 ? ascending++ % 65536 : random() % range;
      put_posting_operand(change, static_cast<uint16_t>(member), random() % 3 != 0);
      CHECK(merge_posting_change(quick, change));
      slow = merge_posting_operands(slow, change).value();
      REQUIRE(quick == slow);
    }
  }
  std::string with_payload = encode_posting_operand({{.member = 1, .payload = "x"}});
  std::string change;
  put_posting_operand(change, 2, true);
  const std::string before = with_payload;
  CHECK_FALSE(merge_posting_change(with_payload, change));
  CHECK(with_payload == before);
}

TEST_CASE("the operand of one change is what the general encoder writes") {
  std::string out;
  put_posting_operand(out, 515, true);
  CHECK(out == encode_posting_operand({{515, true, {}}}));
  out.clear();
  put_posting_operand(out, 3, false);
  CHECK(out == encode_posting_operand({{3, false, {}}}));
}

TEST_CASE("removing the last member leaves the empty string") {
  const std::string chunk = *apply_posting_operand("", encode_posting_operand({{7, true, {}}}));
  CHECK(chunk.size() == 3);
  CHECK(apply_posting_operand(chunk, encode_posting_operand({{7, false, {}}}))->empty());
}

TEST_CASE("no damaged chunk or operand is accepted as another one or read out of bounds") {
  const std::string operand =
      encode_posting_operand({{1, true, {}}, {2, true, "xy"}, {9, false, {}}});
  const std::string chunk = *apply_posting_operand("", operand);
  for (size_t size = 1; size < chunk.size(); ++size) {
    const std::string cut = chunk.substr(0, size);  // own heap block: reads beyond are noticed
    CHECK_FALSE(parse_posting_chunk(cut).has_value());
  }
  for (size_t size = 0; size < operand.size(); ++size)
    CHECK_FALSE(apply_posting_operand(chunk, operand.substr(0, size)).has_value());
  CHECK_FALSE(parse_posting_chunk(chunk + "x").has_value());
  std::string unsorted;
  put_posting_operand(unsorted, 5, true);
  CHECK_FALSE(parse_posting_chunk(std::string("\x04\x05\x00\x05\x00", 5)).has_value());
  CHECK_FALSE(parse_posting_chunk(std::string("\xff\xff\xff\xff\x0f", 5)).has_value());
  CHECK_FALSE(merge_posting_operands(unsorted, "\xff\xff\xff\xff\x0f").has_value());
}

TEST_CASE("a bitmap whose count lies is refused") {
  std::vector<PostingChange> changes;
  for (uint16_t i = 0; i < 5000; ++i) changes.push_back({i, true, {}});
  std::string chunk = *apply_posting_operand("", encode_posting_operand(changes));
  REQUIRE(chunk.size() == 2 + 8192);
  CHECK(*count_posting_members(chunk) == 5000);
  chunk[1000] = 1;
  std::vector<uint64_t> members;
  CHECK_FALSE(append_posting_members(chunk, 0, members).has_value());
}

}  // namespace
}  // namespace wherestar
