#include "xproto/frame.h"

#include <string>

#include <doctest/doctest.h>

using wherestar::ErrorCode;
using wherestar::xproto::append_frame;
using wherestar::xproto::Frame;
using wherestar::xproto::FrameDecoder;
using wherestar::xproto::kMaxFrameBytes;
using wherestar::xproto::kMaxFrameBytesBeforeLogin;
using wherestar::xproto::ServerMessage;

namespace {

std::string header(uint32_t length) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(length >> shift));
  return bytes;
}

}  // namespace

TEST_CASE("a frame is length, type and payload") {
  std::string out;
  append_frame(out, ServerMessage::kNotice, std::string_view("abc"));
  CHECK(out == std::string("\x04\x00\x00\x00\x0b", 5) + "abc");
  out.clear();
  append_frame(out, ServerMessage::kFetchDone, std::string_view());
  CHECK(out == std::string("\x01\x00\x00\x00\x0e", 5));
}

TEST_CASE("frames cut at every byte come out whole, and not before they are") {
  std::string stream;
  append_frame(stream, ServerMessage::kNotice, std::string_view("first"));
  append_frame(stream, ServerMessage::kFetchDone, std::string_view());
  append_frame(stream, ServerMessage::kRow, std::string(300, 'x'));
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    CAPTURE(cut);
    FrameDecoder decoder(kMaxFrameBytes);
    std::string seen;
    auto take_all = [&] {
      while (true) {
        auto frame = decoder.next();
        REQUIRE(frame);
        if (!*frame) return;
        seen.push_back(static_cast<char>('A' + (**frame).type));
        seen += std::to_string((**frame).payload.size()) + ";";
      }
    };
    decoder.append(std::string_view(stream).substr(0, cut));
    take_all();
    std::string before = seen;
    decoder.append(std::string_view(stream).substr(cut));
    take_all();
    CHECK(seen == "L5;O0;N300;");
    CHECK(seen.starts_with(before));
    CHECK(decoder.buffered_bytes() == 0);
  }
}

TEST_CASE("single bytes add up to a frame") {
  std::string stream;
  append_frame(stream, ServerMessage::kOk, std::string_view("payload"));
  FrameDecoder decoder(kMaxFrameBytes);
  for (size_t i = 0; i + 1 < stream.size(); ++i) {
    decoder.append(stream.substr(i, 1));
    auto frame = decoder.next();
    REQUIRE(frame);
    CHECK_FALSE(frame->has_value());
    CHECK(decoder.in_mid_frame());
  }
  decoder.append(stream.substr(stream.size() - 1));
  auto frame = decoder.next();
  REQUIRE(frame);
  REQUIRE(*frame);
  CHECK((**frame).payload == "payload");
  CHECK_FALSE(decoder.in_mid_frame());
}

TEST_CASE("a hostile length is refused on its fourth byte") {
  for (uint32_t length : {0u, 0xffffffffu, kMaxFrameBytesBeforeLogin + 1, 0x80000000u}) {
    CAPTURE(length);
    FrameDecoder decoder(kMaxFrameBytesBeforeLogin);
    std::string bytes = header(length);
    decoder.append(bytes.substr(0, 3));
    auto early = decoder.next();
    REQUIRE(early);
    CHECK_FALSE(early->has_value());
    decoder.append(bytes.substr(3));
    auto frame = decoder.next();
    REQUIRE_FALSE(frame);
    CHECK(frame.error().code ==
          (length == 0 ? ErrorCode::kInvalidArgument : ErrorCode::kLimitExceeded));
    CHECK(decoder.buffered_bytes() == 4);
  }
}

TEST_CASE("a frame at the limit is taken, and an announced length holds no memory") {
  FrameDecoder decoder(kMaxFrameBytesBeforeLogin);
  decoder.append(header(kMaxFrameBytesBeforeLogin));
  auto frame = decoder.next();
  REQUIRE(frame);
  CHECK_FALSE(frame->has_value());
  CHECK(decoder.buffered_bytes() == 4);
  decoder.append(std::string(kMaxFrameBytesBeforeLogin, '\x02'));
  frame = decoder.next();
  REQUIRE(frame);
  REQUIRE(*frame);
  CHECK((**frame).payload.size() == kMaxFrameBytesBeforeLogin - 1);
}

TEST_CASE("login raises the limit for frames that follow") {
  FrameDecoder decoder(kMaxFrameBytesBeforeLogin);
  decoder.set_max_frame_bytes(kMaxFrameBytes);
  decoder.append(header(kMaxFrameBytesBeforeLogin + 1));
  CHECK(decoder.next().has_value());
}
