#include "xproto/messages.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

namespace wherestar::xproto {

bool parse_partial_message(std::string_view payload, google::protobuf::MessageLite& message) {
  if (payload.size() > INT32_MAX) return false;
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(payload.data()),
                                               static_cast<int>(payload.size()));
  input.SetRecursionLimit(kMaxWireDepth);
  return message.ParsePartialFromCodedStream(&input) && input.ConsumedEntireMessage();
}

bool parse_message(std::string_view payload, google::protobuf::MessageLite& message) {
  return parse_partial_message(payload, message) && message.IsInitialized();
}

}  // namespace wherestar::xproto
