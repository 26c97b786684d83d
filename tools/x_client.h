// The wire below RemoteConnection: a blocking socket, TLS, frames of X Protocol, login.
//
// Loopback is spoken to in clear, anything else over TLS only, never falling back. The server's
// certificate is checked when WHERESTAR_TLS_CA names the file of its authority, or of itself; it
// is usually self-signed. The password crosses as MYSQL41's proof where the server offers it, as
// PLAIN over TLS otherwise. One thread. Errors: kIo, kAccessDenied.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "tools/target.h"

namespace google::protobuf {
class MessageLite;
}

namespace wherestar::tools {

struct XMessage {
  uint8_t type = 0;
  std::string payload;
};

class XClient {
 public:
  static Result<std::unique_ptr<XClient>> connect(const ServerUri& uri);
  virtual ~XClient() = default;

  virtual Status send(uint8_t type, const google::protobuf::MessageLite& message) = 0;
  virtual Result<XMessage> receive() = 0;
};

// The lower-case hexadecimal proof of MYSQL41 with its `*`; empty for an empty password.
std::string mysql41_proof(const std::string& password, const std::string& nonce);

// A server's error message as ours: by MySQL's number.
Error error_of_server(uint32_t number, std::string message);

}  // namespace wherestar::tools
