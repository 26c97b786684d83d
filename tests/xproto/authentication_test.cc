#include "xproto/authentication.h"

#include <set>
#include <string>

#include <doctest/doctest.h>
#include <openssl/evp.h>

using namespace wherestar::xproto;
using wherestar::server::Account;

namespace {

std::string digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::string out(static_cast<size_t>(EVP_MD_get_size(algorithm)), '\0');
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), &size,
             algorithm, nullptr);
  return out;
}

Account account_with(std::string_view password) {
  return {.name = "root",
          .mysql41_verifier = digest(EVP_sha1(), digest(EVP_sha1(), password)),
          .sha256_verifier = digest(EVP_sha256(), digest(EVP_sha256(), password))};
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char byte : bytes) {
    out.push_back("0123456789abcdef"[byte >> 4]);
    out.push_back("0123456789abcdef"[byte & 15]);
  }
  return out;
}

std::string mask(std::string a, std::string_view b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<char>(a[i] ^ b[i]);
  return a;
}

std::string sha256_response(std::string_view password, std::string_view nonce) {
  std::string once = digest(EVP_sha256(), password);
  return hex(mask(once, digest(EVP_sha256(), digest(EVP_sha256(), once) + std::string(nonce))));
}

const std::string kNonce = "12345678901234567890";

}  // namespace

TEST_CASE("the MYSQL41 response that two clients send is accepted") {
  Account account = account_with("pw");
  auto credentials = parse_credentials(
      AuthMethod::kMysql41, std::string("\0root\0*f4bb7c9eaaa62c4e4a010b60113f6d5802733841\0", 48));
  REQUIRE(credentials);
  CHECK(credentials->user == "root");
  CHECK(credentials->database.empty());
  CHECK(credentials->response == "f4bb7c9eaaa62c4e4a010b60113f6d5802733841");
  CHECK(verify_credentials(AuthMethod::kMysql41, *credentials, kNonce, &account));
  CHECK_FALSE(
      verify_credentials(AuthMethod::kMysql41, *credentials, "02345678901234567890", &account));
  Account other = account_with("pW");
  CHECK_FALSE(verify_credentials(AuthMethod::kMysql41, *credentials, kNonce, &other));
  CHECK_FALSE(verify_credentials(AuthMethod::kMysql41, *credentials, kNonce, nullptr));
}

TEST_CASE("responses of a wrong size or alphabet are refused") {
  Account account = account_with("pw");
  std::string right = "f4bb7c9eaaa62c4e4a010b60113f6d5802733841";
  for (const std::string& response : {std::string(), right.substr(2), right + "00", right.substr(1),
                                      std::string(40, 'g'), std::string(40, '0')}) {
    CAPTURE(response);
    Credentials credentials{.database = "", .user = "root", .response = response};
    CHECK_FALSE(verify_credentials(AuthMethod::kMysql41, credentials, kNonce, &account));
  }
}

TEST_CASE("SHA256_MEMORY accepts the right password only") {
  Account account = account_with("secret");
  Credentials right{.database = "", .user = "root", .response = sha256_response("secret", kNonce)};
  Credentials wrong{.database = "", .user = "root", .response = sha256_response("Secret", kNonce)};
  CHECK(verify_credentials(AuthMethod::kSha256Memory, right, kNonce, &account));
  CHECK_FALSE(verify_credentials(AuthMethod::kSha256Memory, wrong, kNonce, &account));
}

TEST_CASE("PLAIN takes everything behind the second NUL as the password") {
  auto credentials = parse_credentials(AuthMethod::kPlain, std::string("shop\0root\0a*\0b", 14));
  REQUIRE(credentials);
  CHECK(credentials->database == "shop");
  CHECK(credentials->response == std::string("a*\0b", 4));
  Account account = account_with(std::string("a*\0b", 4));
  CHECK(verify_credentials(AuthMethod::kPlain, *credentials, "", &account));
  account = account_with("a*");
  CHECK_FALSE(verify_credentials(AuthMethod::kPlain, *credentials, "", &account));
}

TEST_CASE("an account without a password accepts nothing but an empty one") {
  Account account{.name = "root", .mysql41_verifier = "", .sha256_verifier = ""};
  for (AuthMethod method : {AuthMethod::kPlain, AuthMethod::kMysql41, AuthMethod::kSha256Memory}) {
    Credentials empty{.database = "", .user = "root", .response = ""};
    Credentials some{.database = "", .user = "root", .response = "x"};
    CHECK(verify_credentials(method, empty, kNonce, &account));
    CHECK_FALSE(verify_credentials(method, some, kNonce, &account));
    CHECK_FALSE(verify_credentials(method, empty, kNonce, nullptr));
  }
  Credentials hashed{.database = "", .user = "root", .response = sha256_response("", kNonce)};
  CHECK(verify_credentials(AuthMethod::kSha256Memory, hashed, kNonce, &account));
  // The star and NUL that a client sends for no password.
  auto sent = parse_credentials(AuthMethod::kMysql41, std::string("\0root\0*\0", 8));
  REQUIRE(sent);
  CHECK(verify_credentials(AuthMethod::kMysql41, *sent, kNonce, &account));
}

TEST_CASE("data without two NULs, or with names too long, is no login") {
  CHECK_FALSE(parse_credentials(AuthMethod::kPlain, ""));
  CHECK_FALSE(parse_credentials(AuthMethod::kPlain, "root"));
  CHECK_FALSE(parse_credentials(AuthMethod::kPlain, std::string("a\0b", 3)));
  CHECK_FALSE(
      parse_credentials(AuthMethod::kPlain, std::string(300, 'x') + std::string("\0root\0", 6)));
}

TEST_CASE("nonces are 20 printable bytes and never the same") {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    auto nonce = make_nonce();
    REQUIRE(nonce);
    CHECK(nonce->size() == kNonceBytes);
    for (char c : *nonce) CHECK((c > ' ' && c <= '~'));
    CHECK(seen.insert(*nonce).second);
  }
}

TEST_CASE("wrong responses never get in by chance") {
  Account account = account_with("pw");
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    Credentials credentials{
        .database = "", .user = "root", .response = hex(digest(EVP_sha1(), std::to_string(i)))};
    if (verify_credentials(AuthMethod::kMysql41, credentials, kNonce, &account)) ++accepted;
  }
  CHECK(accepted == 0);
}
