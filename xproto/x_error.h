// An error as it goes over the wire: MySQL's number, SQL state, severity.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace wherestar::xproto {

struct XError {
  uint32_t code = 0;
  std::string message;
  std::string sql_state = "HY000";
  bool fatal = false;  // the connection ends behind it
};

template <class T>
struct [[nodiscard]] XResult : std::expected<T, XError> {
  using std::expected<T, XError>::expected;
};
using XStatus = XResult<void>;

inline std::unexpected<XError> x_fail(uint32_t code, std::string message) {
  return std::unexpected(XError{.code = code, .message = std::move(message)});
}

inline std::unexpected<XError> x_fail_fatal(uint32_t code, std::string message) {
  return std::unexpected(XError{.code = code, .message = std::move(message), .fatal = true});
}

}  // namespace wherestar::xproto
