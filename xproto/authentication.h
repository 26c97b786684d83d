// Checking a login against an account's stored verifier, without I/O.
//
//   MYSQL41        response = SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password)))
//   SHA256_MEMORY  response = SHA256(password) XOR SHA256(SHA256(SHA256(password)) + nonce)
//   PLAIN          the password itself; over TLS or a unix socket only
//
// Comparisons take the same time whatever they find, and an unknown user costs the same work as a
// wrong password.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/store.h"

namespace wherestar::xproto {

inline constexpr size_t kNonceBytes = 20;

enum class AuthMethod : uint8_t { kPlain, kMysql41, kSha256Memory };
std::optional<AuthMethod> auth_method(std::string_view mechanism);

// `schema \0 user \0 response`. nullopt when there are not two NULs.
struct Credentials {
  std::string database;
  std::string user;
  std::string response;  // password, or what was computed from it (hexadecimal)
};
std::optional<Credentials> parse_credentials(AuthMethod method, std::string_view auth_data);

// 20 random bytes without NUL, fit for being printed: clients insist on the length.
std::optional<std::string> make_nonce();

// `account` is null for a user that does not exist: the answer is then false.
bool verify_credentials(AuthMethod method, const Credentials& credentials, std::string_view nonce,
                        const server::Account* account);

}  // namespace wherestar::xproto
