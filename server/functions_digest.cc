// Digests and generated ids. None of them guards anything: MD5 and SHA1 are here because SQL has
// them.
#include <array>
#include <memory>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "server/conversion.h"
#include "server/functions.h"

namespace wherestar::server {
namespace {

std::string hexadecimal(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return out;
}

Result<SqlValue> digest(const Call& call, const EVP_MD* method) {
  if (call.has_null()) return SqlValue::null();
  const std::string text = to_text(call[0]);
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), out.data(), &size, method, nullptr) != 1)
    return fail(ErrorCode::kUnsupported,
                "the digest " + call.expression.name + " is switched off on this system");
  return SqlValue::text(hexadecimal({reinterpret_cast<const char*>(out.data()), size}));
}

Result<SqlValue> call_md5(const Call& call) {
  return digest(call, EVP_md5());
}
Result<SqlValue> call_sha1(const Call& call) {
  return digest(call, EVP_sha1());
}
Result<SqlValue> call_sha2(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto bits, to_integer(call[1], call.context));
  switch (*bits) {
    case 0:
    case 256:
      return digest(call, EVP_sha256());
    case 224:
      return digest(call, EVP_sha224());
    case 384:
      return digest(call, EVP_sha384());
    case 512:
      return digest(call, EVP_sha512());
    default:
      return SqlValue::null();
  }
}

// The polynomial of zlib and Ethernet, bit by bit.
Result<SqlValue> call_crc32(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  uint32_t sum = 0xffff'ffff;
  for (const char c : to_text(call[0])) {
    sum ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb8'8320 : 0);
  }
  return SqlValue::unsigned_integer(~sum);
}

// Version 4: random.
Result<SqlValue> call_uuid(const Call&) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    return fail(ErrorCode::kInternal, "the system gives no random bytes");
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string out = hexadecimal({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  for (const size_t at : {20, 16, 12, 8}) out.insert(at, 1, '-');
  return SqlValue::text(std::move(out));
}

constexpr Function kFunctions[] = {
    {"MD5", 1, 1, SqlType::kText, call_md5},         {"SHA", 1, 1, SqlType::kText, call_sha1},
    {"SHA1", 1, 1, SqlType::kText, call_sha1},       {"SHA2", 2, 2, SqlType::kText, call_sha2},
    {"CRC32", 1, 1, SqlType::kUnsigned, call_crc32}, {"UUID", 0, 0, SqlType::kText, call_uuid},
};

}  // namespace

std::span<const Function> digest_functions() {
  return kFunctions;
}

}  // namespace wherestar::server
