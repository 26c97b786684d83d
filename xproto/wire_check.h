// What a protobuf message would cost, before it is parsed.
//
// A repeated sub-message of four wire bytes costs a hundred bytes of heap, so a frame within its
// limit can still ask for gigabytes. One linear pass over the wire bytes, guided by the messages'
// shapes, counts what parsing would allocate. Groups, which no message here has, are refused.
//
// The same shapes answer which fields the server knows (expectations ask for "17.12").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace wherestar::xproto {

inline constexpr size_t kSubMessageCostBytes = 128;
inline constexpr size_t kTextFieldCostBytes = 48;  // beside its bytes

// The heap bytes that parsing a client message of this type takes, about. kInvalidArgument for
// bytes that are no protobuf, for groups and for nesting beyond kMaxWireDepth; kLimitExceeded as
// soon as the cost passes `budget_bytes`.
Result<size_t> check_wire(uint8_t message_type, std::string_view payload, size_t budget_bytes);

// Does the server know this field? chain[0] is a client message id, then field numbers.
bool knows_field(std::span<const uint32_t> chain);

}  // namespace wherestar::xproto
