// Frames of X Protocol, without I/O.
//
//   offset size
//   0      4    length: little-endian, of everything behind it (type and payload; at least 1)
//   4      1    message type
//   5      n    payload: one protobuf message
//
// The decoder holds only bytes that arrived: an announced length allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "xproto/messages.h"

namespace wherestar::xproto {

inline constexpr size_t kFrameHeaderBytes = 5;
inline constexpr uint32_t kMaxFrameBytesBeforeLogin = 128u << 10;
// A document of 63 MiB, its envelope and some to spare.
inline constexpr uint32_t kMaxFrameBytes = (64u << 20) + (64u << 10);

struct Frame {
  uint8_t type = 0;
  std::string_view payload;  // into the decoder; valid until the next append()
};

class FrameDecoder {
 public:
  explicit FrameDecoder(uint32_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}

  void set_max_frame_bytes(uint32_t bytes) { max_frame_bytes_ = bytes; }
  void append(std::string_view bytes);
  // The next whole frame; nullopt when more bytes are needed. kInvalidArgument for length 0,
  // kLimitExceeded for one above the limit: known as soon as the fourth byte is there.
  Result<std::optional<Frame>> next();

  size_t buffered_bytes() const { return buffer_.size() - position_; }
  bool in_mid_frame() const { return buffered_bytes() > 0; }

 private:
  std::string buffer_;
  size_t position_ = 0;
  uint32_t max_frame_bytes_;
};

// Appends a frame whose payload is there already.
void append_frame(std::string& out, ServerMessage type, std::string_view payload);
void append_frame(std::string& out, ServerMessage type,
                  const google::protobuf::MessageLite& message);
// For payloads written in place: begin_frame returns the token that end_frame takes.
size_t begin_frame(std::string& out, ServerMessage type);
void end_frame(std::string& out, size_t token);

}  // namespace wherestar::xproto
