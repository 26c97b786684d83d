// Message ids, and protobuf parsing of untrusted payloads.
#pragma once

#include <cstdint>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace wherestar::xproto {

enum class ClientMessage : uint8_t {
  kCapabilitiesGet = 1,
  kCapabilitiesSet = 2,
  kConnectionClose = 3,
  kAuthenticateStart = 4,
  kAuthenticateContinue = 5,
  kReset = 6,
  kSessionClose = 7,
  kStatementExecute = 12,
  kFind = 17,
  kInsert = 18,
  kUpdate = 19,
  kDelete = 20,
  kExpectOpen = 24,
  kExpectClose = 25,
  kPrepare = 40,
  kExecute = 41,
  kDeallocate = 42,
};

enum class ServerMessage : uint8_t {
  kOk = 0,
  kError = 1,
  kCapabilities = 2,
  kAuthenticateContinue = 3,
  kAuthenticateOk = 4,
  kNotice = 11,
  kColumnMetaData = 12,
  kRow = 13,
  kFetchDone = 14,
  kStatementExecuteOk = 17,
};

// Nesting that protobuf itself accepts: three wire levels a logical one and some to spare, so that
// our own limit of 100 logical levels is the one that a client meets, with its own error.
inline constexpr int kMaxWireDepth = 310;

// False for bytes that are not this message, miss a required field, are nested deeper than
// kMaxWireDepth or have something behind their end.
bool parse_message(std::string_view payload, google::protobuf::MessageLite& message);
// The same, but required fields may be missing: of statements, where a client (Node) sends a scalar
// without a type for a value that it cannot express, and waits for an error that the session
// outlives.
bool parse_partial_message(std::string_view payload, google::protobuf::MessageLite& message);

}  // namespace wherestar::xproto
