#include "xproto/certificate.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wherestar::xproto {
namespace {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using X509Pointer = std::unique_ptr<X509, Free<X509_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;

constexpr long kValidSeconds = 10L * 365 * 24 * 3600;

std::unexpected<Error> openssl_failed(const char* what) {
  return fail(ErrorCode::kInternal, std::string("OpenSSL cannot ") + what);
}

Result<X509Pointer> make_certificate(EVP_PKEY* key) {
  X509Pointer certificate(X509_new());
  std::array<unsigned char, 16> serial{};
  if (!certificate || RAND_bytes(serial.data(), static_cast<int>(serial.size())) != 1) {
    return openssl_failed("make a certificate");
  }
  serial[0] &= 0x7f;  // positive
  std::unique_ptr<BIGNUM, Free<BN_free>> number(
      BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr));
  X509_NAME* name = X509_get_subject_name(certificate.get());
  auto add_name = [&](const char* field, const char* value) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_ASC,
                                      reinterpret_cast<const unsigned char*>(value), -1, -1, 0);
  };
  bool made =
      number && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get())) != nullptr &&
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kValidSeconds) != nullptr &&
      add_name("O", "Wherestar") == 1 && add_name("CN", "wherestard, self-signed") == 1 &&
      X509_set_issuer_name(certificate.get(), name) == 1 &&
      X509_set_pubkey(certificate.get(), key) == 1;
  if (!made) return openssl_failed("fill in a certificate");
  for (auto [nid, value] : {std::pair{NID_basic_constraints, "critical,CA:FALSE"},
                            std::pair{NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"}}) {
    std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, nid, value));
    if (!extension || X509_add_ext(certificate.get(), extension.get(), -1) != 1) {
      return openssl_failed("extend a certificate");
    }
  }
  if (X509_sign(certificate.get(), key, EVP_sha256()) == 0) {
    return openssl_failed("sign a certificate");
  }
  return certificate;
}

Result<std::string> pem_of(const auto& write) {
  Bio bio(BIO_new(BIO_s_mem()));
  char* data = nullptr;
  if (!bio || write(bio.get()) != 1) return openssl_failed("write PEM");
  long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

Status write_new_file(const std::string& path, const std::string& text, mode_t mode) {
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return fail(ErrorCode::kIo, path + ": " + std::strerror(errno));
  size_t written = 0;
  while (written < text.size()) {
    ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count <= 0) break;
    written += static_cast<size_t>(count);
  }
  bool complete = written == text.size() && ::fsync(file) == 0;
  ::close(file);
  if (!complete) {
    ::unlink(path.c_str());
    return fail(ErrorCode::kIo, path + ": cannot be written");
  }
  return {};
}

Status make_files(const Certificate& files) {
  Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failed("make a key");
  ASSIGN_OR_RETURN(X509Pointer certificate, make_certificate(key.get()));
  ASSIGN_OR_RETURN(std::string key_text, pem_of([&](BIO* bio) {
                     return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr,
                                                     nullptr);
                   }));
  ASSIGN_OR_RETURN(std::string certificate_text,
                   pem_of([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); }));
  RETURN_IF_ERROR(write_new_file(files.key_file, key_text, 0600));
  Status status = write_new_file(files.certificate_file, certificate_text, 0644);
  if (!status) ::unlink(files.key_file.c_str());
  return status;
}

Status check_key_mode(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0)
    return fail(ErrorCode::kIo, path + ": " + std::strerror(errno));
  if ((info.st_mode & 077) != 0) {
    return fail(ErrorCode::kInvalidArgument,
                path + ": the key can be read by others; chmod 600 it or let a new one be made");
  }
  return {};
}

Result<std::string> read_fingerprint(const Certificate& files) {
  Bio certificate_file(BIO_new_file(files.certificate_file.c_str(), "r"));
  X509Pointer certificate(certificate_file
                              ? PEM_read_bio_X509(certificate_file.get(), nullptr, nullptr, nullptr)
                              : nullptr);
  if (!certificate) {
    return fail(ErrorCode::kInvalidArgument, files.certificate_file + ": not a certificate");
  }
  Bio key_file(BIO_new_file(files.key_file.c_str(), "r"));
  Key key(key_file ? PEM_read_bio_PrivateKey(key_file.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!key) return fail(ErrorCode::kInvalidArgument, files.key_file + ": not a private key");
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return fail(ErrorCode::kInvalidArgument, files.key_file + ": not the key of the certificate");
  }
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) <= 0) {
    return fail(ErrorCode::kInvalidArgument,
                files.certificate_file + ": the certificate has expired");
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  if (X509_digest(certificate.get(), EVP_sha256(), bytes.data(), &size) != 1) {
    return openssl_failed("take a fingerprint");
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    if (i > 0) text.push_back(':');
    text.push_back(kDigits[bytes[i] >> 4]);
    text.push_back(kDigits[bytes[i] & 15]);
  }
  return text;
}

}  // namespace

Result<Certificate> load_or_make_certificate(const std::string& directory) {
  Certificate files{.certificate_file = directory + "/server-cert.pem",
                    .key_file = directory + "/server-key.pem",
                    .sha256_fingerprint = ""};
  bool has_certificate = ::access(files.certificate_file.c_str(), F_OK) == 0;
  bool has_key = ::access(files.key_file.c_str(), F_OK) == 0;
  if (has_certificate != has_key) {
    return fail(ErrorCode::kInvalidArgument,
                (has_key ? files.certificate_file : files.key_file) + ": missing, but its fellow " +
                    (has_key ? files.key_file : files.certificate_file) + " is there");
  }
  if (!has_key) RETURN_IF_ERROR(make_files(files));
  RETURN_IF_ERROR(check_key_mode(files.key_file));
  ASSIGN_OR_RETURN(files.sha256_fingerprint, read_fingerprint(files));
  return files;
}

}  // namespace wherestar::xproto
