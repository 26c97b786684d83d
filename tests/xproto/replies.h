// Frames that the server sent, taken apart for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <mysqlx.pb.h>
#include <mysqlx_notice.pb.h>

#include "xproto/frame.h"

namespace wherestar::xproto_test {

struct Reply {
  uint8_t type = 0;
  std::string payload;
};

inline std::vector<Reply> take_apart(std::string_view bytes) {
  xproto::FrameDecoder decoder(1u << 30);
  decoder.append(bytes);
  std::vector<Reply> replies;
  while (true) {
    auto frame = decoder.next();
    REQUIRE(frame);
    if (!*frame) break;
    replies.push_back({.type = (**frame).type, .payload = std::string((**frame).payload)});
  }
  CHECK(decoder.buffered_bytes() == 0);
  return replies;
}

// "notice:4 ok17", errors as "error1146" or "fatal5000", rows as "row", notices with their kind.
inline std::string describe(const std::vector<Reply>& replies) {
  std::string text;
  for (const Reply& reply : replies) {
    if (!text.empty()) text += ' ';
    switch (reply.type) {
      case 0:
        text += "ok";
        break;
      case 1: {
        Mysqlx::Error error;
        REQUIRE(error.ParseFromString(reply.payload));
        text += error.severity() == Mysqlx::Error::FATAL ? "fatal" : "error";
        text += std::to_string(error.code());
        break;
      }
      case 2:
        text += "capabilities";
        break;
      case 3:
        text += "challenge";
        break;
      case 4:
        text += "authenticated";
        break;
      case 11: {
        Mysqlx::Notice::Frame frame;
        REQUIRE(frame.ParseFromString(reply.payload));
        text += "notice" + std::to_string(frame.type());
        if (frame.type() == Mysqlx::Notice::Frame::SESSION_STATE_CHANGED) {
          Mysqlx::Notice::SessionStateChanged state;
          REQUIRE(state.ParseFromString(frame.payload()));
          text += ":" + std::to_string(state.param());
        }
        break;
      }
      case 12:
        text += "column";
        break;
      case 13:
        text += "row";
        break;
      case 14:
        text += "done";
        break;
      case 17:
        text += "executed";
        break;
      default:
        text += "?" + std::to_string(reply.type);
    }
  }
  return text;
}

inline std::string describe(std::string_view bytes) {
  return describe(take_apart(bytes));
}

}  // namespace wherestar::xproto_test
