#include "xproto/frame.h"

#include <google/protobuf/message_lite.h>

namespace wherestar::xproto {
namespace {

constexpr size_t kLengthBytes = 4;
// A buffer that once held a huge frame is given back.
constexpr size_t kKeptBufferBytes = 1u << 20;

uint32_t load_length(const char* bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return value;
}

void store_length(char* bytes, uint32_t value) {
  for (size_t i = 0; i < kLengthBytes; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
}

}  // namespace

void FrameDecoder::append(std::string_view bytes) {
  if (position_ > 0) {
    buffer_.erase(0, position_);
    position_ = 0;
    if (buffer_.empty() && buffer_.capacity() > kKeptBufferBytes) buffer_.shrink_to_fit();
  }
  buffer_.append(bytes);
}

Result<std::optional<Frame>> FrameDecoder::next() {
  std::string_view rest = std::string_view(buffer_).substr(position_);
  if (rest.size() < kLengthBytes) return std::optional<Frame>();
  uint32_t length = load_length(rest.data());
  if (length == 0) return fail(ErrorCode::kInvalidArgument, "Invalid message: frame of length 0");
  if (length > max_frame_bytes_) {
    return fail(ErrorCode::kLimitExceeded, "Frame of " + std::to_string(length) +
                                               " bytes is larger than the limit of " +
                                               std::to_string(max_frame_bytes_) + " bytes");
  }
  if (rest.size() < kLengthBytes + length) return std::optional<Frame>();
  position_ += kLengthBytes + length;
  return std::optional<Frame>(Frame{.type = static_cast<uint8_t>(rest[kLengthBytes]),
                                    .payload = rest.substr(kFrameHeaderBytes, length - 1)});
}

size_t begin_frame(std::string& out, ServerMessage type) {
  size_t token = out.size();
  out.append(kLengthBytes, '\0');
  out.push_back(static_cast<char>(type));
  return token;
}

void end_frame(std::string& out, size_t token) {
  store_length(out.data() + token, static_cast<uint32_t>(out.size() - token - kLengthBytes));
}

void append_frame(std::string& out, ServerMessage type, std::string_view payload) {
  size_t token = begin_frame(out, type);
  out.append(payload);
  end_frame(out, token);
}

void append_frame(std::string& out, ServerMessage type,
                  const google::protobuf::MessageLite& message) {
  size_t token = begin_frame(out, type);
  message.AppendToString(&out);
  end_frame(out, token);
}

}  // namespace wherestar::xproto
