#include "xproto/authentication.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

namespace wherestar::xproto {
namespace {

constexpr size_t kMaxNameBytes = 255;

std::string digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> buffer{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), buffer.data(), &size, algorithm, nullptr) != 1) {
    return {};
  }
  return std::string(reinterpret_cast<const char*>(buffer.data()), size);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  auto nibble = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    int high = nibble(text[i]);
    int low = nibble(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

// From what the client sent, the hash of the password's hash: it must be the verifier.
bool response_matches(const EVP_MD* algorithm, std::string_view hex, std::string_view mask,
                      std::string_view verifier) {
  auto response = from_hex(hex);
  if (!response || response->size() != mask.size()) return false;
  std::string hash = *response;
  for (size_t i = 0; i < hash.size(); ++i) hash[i] = static_cast<char>(hash[i] ^ mask[i]);
  return equal_in_constant_time(digest(algorithm, hash), verifier);
}

bool verify_mysql41(std::string_view hex, std::string_view nonce, std::string_view verifier) {
  std::string mask = digest(EVP_sha1(), std::string(nonce).append(verifier));
  return response_matches(EVP_sha1(), hex, mask, verifier);
}

bool verify_sha256(std::string_view hex, std::string_view nonce, std::string_view verifier) {
  std::string mask = digest(EVP_sha256(), std::string(verifier).append(nonce));
  return response_matches(EVP_sha256(), hex, mask, verifier);
}

bool verify_plain(std::string_view password, std::string_view mysql41_verifier) {
  std::string hash = digest(EVP_sha1(), digest(EVP_sha1(), password));
  return equal_in_constant_time(hash, mysql41_verifier);
}

}  // namespace

std::optional<AuthMethod> auth_method(std::string_view mechanism) {
  if (mechanism == "PLAIN") return AuthMethod::kPlain;
  if (mechanism == "MYSQL41") return AuthMethod::kMysql41;
  if (mechanism == "SHA256_MEMORY") return AuthMethod::kSha256Memory;
  return std::nullopt;
}

std::optional<Credentials> parse_credentials(AuthMethod method, std::string_view auth_data) {
  size_t first = auth_data.find('\0');
  if (first == std::string_view::npos) return std::nullopt;
  size_t second = auth_data.find('\0', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  std::string_view response = auth_data.substr(second + 1);
  if (method != AuthMethod::kPlain) {
    if (response.starts_with('*')) response.remove_prefix(1);
    while (response.ends_with('\0')) response.remove_suffix(1);
  }
  if (first > kMaxNameBytes || second - first > kMaxNameBytes) return std::nullopt;
  return Credentials{.database = std::string(auth_data.substr(0, first)),
                     .user = std::string(auth_data.substr(first + 1, second - first - 1)),
                     .response = std::string(response)};
}

std::optional<std::string> make_nonce() {
  std::array<unsigned char, kNonceBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return std::nullopt;
  std::string nonce;
  // Printable ASCII: some clients treat it as text.
  for (unsigned char byte : bytes) nonce.push_back(static_cast<char>('!' + byte % 94));
  return nonce;
}

bool verify_credentials(AuthMethod method, const Credentials& credentials, std::string_view nonce,
                        const server::Account* account) {
  bool known = account != nullptr;
  if (known && !account->has_password()) {
    if (credentials.response.empty()) return true;
    if (method != AuthMethod::kSha256Memory) return false;
    // This mechanism always sends a hash, also of an empty password.
    return verify_sha256(credentials.response, nonce,
                         digest(EVP_sha256(), digest(EVP_sha256(), "")));
  }
  static const std::string kDummySha1(20, '\x5c');
  static const std::string kDummySha256(32, '\x5c');
  bool matches = false;
  switch (method) {
    case AuthMethod::kPlain:
      matches = verify_plain(credentials.response, known ? account->mysql41_verifier : kDummySha1);
      break;
    case AuthMethod::kMysql41:
      matches = verify_mysql41(credentials.response, nonce,
                               known ? account->mysql41_verifier : kDummySha1);
      break;
    case AuthMethod::kSha256Memory:
      matches = verify_sha256(credentials.response, nonce,
                              known ? account->sha256_verifier : kDummySha256);
      break;
  }
  return known && matches;
}

}  // namespace wherestar::xproto
