#include "xproto/expectations.h"

#include <charconv>
#include <string_view>

#include "xproto/error_map.h"
#include "xproto/wire_check.h"

namespace wherestar::xproto {
namespace {

using Open = Mysqlx::Expect::Open;

constexpr size_t kMaxChain = 32;

// "17.12": a client message, then field numbers.
bool is_known_chain(std::string_view text) {
  std::vector<uint32_t> chain;
  const char* position = text.data();
  const char* end = text.data() + text.size();
  while (chain.size() < kMaxChain) {
    uint32_t number = 0;
    auto [stop, error] = std::from_chars(position, end, number);
    if (error != std::errc()) return false;
    chain.push_back(number);
    if (stop == end) return knows_field(chain);
    if (*stop != '.') return false;
    position = stop + 1;
  }
  return false;
}

XStatus apply(const Open::Condition& condition, bool& no_error) {
  bool set = condition.op() == Open::Condition::EXPECT_OP_SET;
  switch (condition.condition_key()) {
    case Open::Condition::EXPECT_NO_ERROR: {
      const std::string& value = condition.condition_value();
      if (set && !value.empty() && value != "1" && value != "0") {
        return x_fail(code::kExpectBadValue,
                      "Invalid value '" + value + "' for expectation no_error");
      }
      no_error = set && value != "0";
      return {};
    }
    case Open::Condition::EXPECT_FIELD_EXIST:
      if (set && !is_known_chain(condition.condition_value())) {
        return x_fail(code::kFieldMissing,
                      "Expectation failed: field_exist = '" + condition.condition_value() + "'");
      }
      return {};
    case Open::Condition::EXPECT_DOCID_GENERATED:
      return {};
    default:
      return x_fail(code::kExpectBadCondition, "Unknown condition key");
  }
}

}  // namespace

XStatus Expectations::open(const Open& message) {
  Block block;
  if (!blocks_.empty() && blocks_.back().failed) {
    if (blocks_.size() >= kMaxStoredBlocks)
      ++blocks_.back().count;
    else
      blocks_.push_back({.no_error = true, .failed = true, .error = blocks_.back().error});
    return check();
  }
  if (message.op() == Open::EXPECT_CTX_COPY_PREV && !blocks_.empty()) {
    block.no_error = blocks_.back().no_error;
  }
  for (const auto& condition : message.cond()) {
    if (auto status = apply(condition, block.no_error); !status) {
      block.failed = true;
      block.error = status.error();
      break;
    }
  }
  if (!blocks_.empty() && !block.failed && blocks_.back().no_error == block.no_error) {
    ++blocks_.back().count;
    return {};
  }
  if (blocks_.size() >= kMaxStoredBlocks) {
    return x_fail(code::kInvalidArgument, "Too many open expectation blocks");
  }
  blocks_.push_back(block);
  if (block.failed) return std::unexpected(block.error);
  return {};
}

XStatus Expectations::close() {
  if (blocks_.empty()) return x_fail(code::kExpectNotOpen, "Expect block currently not open");
  Block& block = blocks_.back();
  bool failed = block.failed;
  XError error = block.error;
  if (--block.count == 0) blocks_.pop_back();
  if (failed) return std::unexpected(error);
  return {};
}

XStatus Expectations::check() const {
  if (blocks_.empty() || !blocks_.back().failed) return {};
  return std::unexpected(blocks_.back().error);
}

void Expectations::statement_failed() {
  if (blocks_.empty() || !blocks_.back().no_error || blocks_.back().failed) return;
  // Only the innermost of blocks alike is failed: the ones around it go on.
  XError error{.code = code::kExpectFailed, .message = "Expectation failed: no_error"};
  if (blocks_.back().count > 1) {
    --blocks_.back().count;
    blocks_.push_back({.no_error = true, .failed = true, .error = error});
    return;
  }
  blocks_.back().failed = true;
  blocks_.back().error = error;
}

}  // namespace wherestar::xproto
