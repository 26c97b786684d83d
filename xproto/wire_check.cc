#include "xproto/wire_check.h"

#include <array>
#include <optional>
#include <vector>

#include "xproto/messages.h"

namespace wherestar::xproto {
namespace {

enum class Shape : uint8_t {
  kLeafMessage,  // no sub-messages: Octets, String, Identifier, Collection, ...
  kScalar,
  kAny,
  kObject,
  kObjectField,
  kArray,
  kCapability,
  kCapabilities,
  kCapabilitiesSet,
  kExpr,
  kColumnIdentifier,
  kFunctionCall,
  kOperator,
  kExprObject,
  kExprObjectField,
  kExprArray,
  kColumn,
  kProjection,
  kLimitExpr,
  kOrder,
  kUpdateOperation,
  kTypedRow,
  kFind,
  kInsert,
  kUpdate,
  kDelete,
  kStatementExecute,
  kExpectOpen,
  kPrepare,
  kPrepareOneOf,
  kExecute,
  kSimple,  // a client message without sub-messages and with fields 1 and 2 at most
  kEmpty,   // a client message without fields
  kCount,
};

struct SubMessage {
  uint8_t field;
  Shape shape;
};

struct ShapeInfo {
  uint32_t known_fields = 0;                 // bit n: field n
  std::array<SubMessage, 9> sub_messages{};  // field 0 ends the list
};

constexpr uint32_t fields(std::initializer_list<int> numbers) {
  uint32_t bits = 0;
  for (int number : numbers) bits |= uint32_t{1} << number;
  return bits;
}

constexpr auto kShapes = [] {
  std::array<ShapeInfo, static_cast<size_t>(Shape::kCount)> table{};
  auto define = [&](Shape shape, std::initializer_list<int> known,
                    std::initializer_list<SubMessage> sub_messages) {
    ShapeInfo& info = table[static_cast<size_t>(shape)];
    info.known_fields = fields(known);
    size_t i = 0;
    for (const SubMessage& sub_message : sub_messages) info.sub_messages[i++] = sub_message;
  };
  using enum Shape;
  define(kLeafMessage, {1, 2, 3}, {});
  define(kScalar, {1, 2, 3, 5, 6, 7, 8, 9}, {{5, kLeafMessage}, {9, kLeafMessage}});
  define(kAny, {1, 2, 3, 4}, {{2, kScalar}, {3, kObject}, {4, kArray}});
  define(kObject, {1}, {{1, kObjectField}});
  define(kObjectField, {1, 2}, {{2, kAny}});
  define(kArray, {1}, {{1, kAny}});
  define(kCapability, {1, 2}, {{2, kAny}});
  define(kCapabilities, {1}, {{1, kCapability}});
  define(kCapabilitiesSet, {1}, {{1, kCapabilities}});
  define(kExpr, {1, 2, 3, 4, 5, 6, 7, 8, 9},
         {{2, kColumnIdentifier},
          {4, kScalar},
          {5, kFunctionCall},
          {6, kOperator},
          {8, kExprObject},
          {9, kExprArray}});
  define(kColumnIdentifier, {1, 2, 3, 4}, {{1, kLeafMessage}});
  define(kFunctionCall, {1, 2}, {{1, kLeafMessage}, {2, kExpr}});
  define(kOperator, {1, 2}, {{2, kExpr}});
  define(kExprObject, {1}, {{1, kExprObjectField}});
  define(kExprObjectField, {1, 2}, {{2, kExpr}});
  define(kExprArray, {1}, {{1, kExpr}});
  define(kColumn, {1, 2, 3}, {{3, kLeafMessage}});
  define(kProjection, {1, 2}, {{1, kExpr}});
  define(kLimitExpr, {1, 2}, {{1, kExpr}, {2, kExpr}});
  define(kOrder, {1, 2}, {{1, kExpr}});
  define(kUpdateOperation, {1, 2, 3}, {{1, kColumnIdentifier}, {3, kExpr}});
  define(kTypedRow, {1}, {{1, kExpr}});
  define(kFind, {2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14},
         {{2, kLeafMessage},
          {4, kProjection},
          {5, kExpr},
          {6, kLeafMessage},
          {7, kOrder},
          {8, kExpr},
          {9, kExpr},
          {11, kScalar},
          {14, kLimitExpr}});
  define(kInsert, {1, 2, 3, 4, 5, 6},
         {{1, kLeafMessage}, {3, kColumn}, {4, kTypedRow}, {5, kScalar}});
  define(kUpdate, {2, 3, 4, 5, 6, 7, 8, 9},
         {{2, kLeafMessage},
          {4, kExpr},
          {5, kLeafMessage},
          {6, kOrder},
          {7, kUpdateOperation},
          {8, kScalar},
          {9, kLimitExpr}});
  define(kDelete, {1, 2, 3, 4, 5, 6, 7},
         {{1, kLeafMessage},
          {3, kExpr},
          {4, kLeafMessage},
          {5, kOrder},
          {6, kScalar},
          {7, kLimitExpr}});
  define(kStatementExecute, {1, 2, 3, 4}, {{2, kAny}});
  define(kExpectOpen, {1, 2}, {{2, kLeafMessage}});
  define(kPrepare, {1, 2}, {{2, kPrepareOneOf}});
  define(kPrepareOneOf, {1, 2, 3, 4, 5, 6},
         {{2, kFind}, {3, kInsert}, {4, kUpdate}, {5, kDelete}, {6, kStatementExecute}});
  define(kExecute, {1, 2, 3}, {{2, kAny}});
  define(kSimple, {1, 2, 3}, {});
  return table;
}();

std::optional<Shape> root_shape(uint32_t message_type) {
  if (message_type > UINT8_MAX) return std::nullopt;
  switch (static_cast<ClientMessage>(message_type)) {
    case ClientMessage::kCapabilitiesSet:
      return Shape::kCapabilitiesSet;
    case ClientMessage::kStatementExecute:
      return Shape::kStatementExecute;
    case ClientMessage::kFind:
      return Shape::kFind;
    case ClientMessage::kInsert:
      return Shape::kInsert;
    case ClientMessage::kUpdate:
      return Shape::kUpdate;
    case ClientMessage::kDelete:
      return Shape::kDelete;
    case ClientMessage::kExpectOpen:
      return Shape::kExpectOpen;
    case ClientMessage::kPrepare:
      return Shape::kPrepare;
    case ClientMessage::kExecute:
      return Shape::kExecute;
    case ClientMessage::kAuthenticateStart:
    case ClientMessage::kAuthenticateContinue:
    case ClientMessage::kReset:
    case ClientMessage::kDeallocate:
      return Shape::kSimple;
    case ClientMessage::kCapabilitiesGet:
    case ClientMessage::kConnectionClose:
    case ClientMessage::kSessionClose:
    case ClientMessage::kExpectClose:
      return Shape::kEmpty;
  }
  return std::nullopt;
}

std::optional<Shape> sub_shape(Shape shape, uint32_t field) {
  for (const SubMessage& sub_message : kShapes[static_cast<size_t>(shape)].sub_messages) {
    if (sub_message.field == 0) break;
    if (sub_message.field == field) return sub_message.shape;
  }
  return std::nullopt;
}

// The open sub-messages form a stack of (shape, end), never deeper than kMaxWireDepth.
class Walk {
 public:
  Walk(Shape root, std::string_view bytes, size_t budget_bytes)
      : bytes_(bytes), budget_bytes_(budget_bytes) {
    open_.push_back({root, bytes.size()});
  }

  Result<size_t> run() {
    while (true) {
      while (!open_.empty() && position_ == open_.back().end) open_.pop_back();
      if (open_.empty()) return cost_bytes_;
      RETURN_IF_ERROR(field());
      if (cost_bytes_ > budget_bytes_) {
        return fail(ErrorCode::kLimitExceeded,
                    "Message has too many parts: it would take more than " +
                        std::to_string(budget_bytes_) + " bytes of memory");
      }
    }
  }

 private:
  struct Open {
    Shape shape;
    size_t end;
  };

  std::unexpected<Error> damaged() const {
    return fail(ErrorCode::kInvalidArgument,
                "Invalid message: damaged at byte " + std::to_string(position_));
  }

  Result<uint64_t> varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (position_ >= open_.back().end) return damaged();
      auto byte = static_cast<uint8_t>(bytes_[position_++]);
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return damaged();
  }

  Status skip(uint64_t count) {
    if (count > open_.back().end - position_) return damaged();
    position_ += static_cast<size_t>(count);
    return {};
  }

  Status field() {
    ASSIGN_OR_RETURN(uint64_t tag, varint());
    uint64_t number = tag >> 3;
    if (number == 0 || number > 0x1fffffff) return damaged();
    switch (tag & 7) {
      case 0: {
        cost_bytes_ += sizeof(uint64_t);
        RETURN_IF_ERROR(varint());
        return {};
      }
      case 1:
        return skip(8);
      case 2:
        return length_delimited(static_cast<uint32_t>(number));
      case 5:
        return skip(4);
      default:
        return damaged();  // groups
    }
  }

  Status length_delimited(uint32_t number) {
    ASSIGN_OR_RETURN(uint64_t length, varint());
    if (length > open_.back().end - position_) return damaged();
    auto shape = sub_shape(open_.back().shape, number);
    if (!shape) {
      cost_bytes_ += kTextFieldCostBytes + static_cast<size_t>(length);
      return skip(length);
    }
    cost_bytes_ += kSubMessageCostBytes;
    if (open_.size() > static_cast<size_t>(kMaxWireDepth)) {
      return fail(ErrorCode::kTooDeep, "Invalid message: nested too deeply");
    }
    open_.push_back({*shape, position_ + static_cast<size_t>(length)});
    return {};
  }

  std::string_view bytes_;
  size_t budget_bytes_;
  size_t position_ = 0;
  size_t cost_bytes_ = 0;
  std::vector<Open> open_;
};

}  // namespace

Result<size_t> check_wire(uint8_t message_type, std::string_view payload, size_t budget_bytes) {
  auto shape = root_shape(message_type);
  if (!shape) return size_t{0};  // refused by its number, never parsed
  return Walk(*shape, payload, budget_bytes).run();
}

bool knows_field(std::span<const uint32_t> chain) {
  if (chain.empty()) return false;
  auto shape = root_shape(chain[0]);
  if (!shape) return false;
  for (size_t i = 1; i < chain.size(); ++i) {
    if (!shape || chain[i] >= 32) return false;
    if ((kShapes[static_cast<size_t>(*shape)].known_fields >> chain[i] & 1) == 0) return false;
    shape = sub_shape(*shape, chain[i]);
  }
  return true;
}

}  // namespace wherestar::xproto
