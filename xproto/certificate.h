// The server's TLS certificate: made at first start, kept in the data directory.
#pragma once

#include <string>

#include "base/result.h"

namespace wherestar::xproto {

struct Certificate {
  std::string certificate_file;
  std::string key_file;
  std::string sha256_fingerprint;  // "AB:CD:..."
};

// `<directory>/server-cert.pem` and `server-key.pem`; both are made when neither is there (EC
// P-256, self-signed, ten years; the key 0600). kInvalidArgument, naming the file, when one of them
// is missing, unreadable, expired or foreign to the other, or the key can be read by others.
Result<Certificate> load_or_make_certificate(const std::string& directory);

}  // namespace wherestar::xproto
