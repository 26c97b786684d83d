#include "server/accounts.h"

#include <string>

#include <openssl/evp.h>

namespace wherestar::server {

namespace {

Result<std::string> digest(const EVP_MD* kind, std::string_view bytes) {
  std::string out(static_cast<size_t>(EVP_MD_get_size(kind)), '\0');
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), &size,
                 kind, nullptr) != 1)
    return fail(ErrorCode::kInternal, "OpenSSL refuses a digest");
  return out;
}

Result<std::string> twice(const EVP_MD* kind, std::string_view password) {
  ASSIGN_OR_RETURN(const std::string once, digest(kind, password));
  return digest(kind, once);
}

}  // namespace

Status set_account_password(Catalog& catalog, std::string_view user, std::string_view password) {
  auto account = catalog.account(user);
  if (!account) return fail(ErrorCode::kNotFound, "there is no user '" + std::string(user) + "'");
  account->mysql41_verifier.clear();
  account->sha256_verifier.clear();
  if (!password.empty()) {
    ASSIGN_OR_RETURN(account->mysql41_verifier, twice(EVP_sha1(), password));
    ASSIGN_OR_RETURN(account->sha256_verifier, twice(EVP_sha256(), password));
  }
  return catalog.put_account(*account);
}

Status ensure_root(Catalog& catalog) {
  if (catalog.account("root")) return {};
  Account root;
  root.name = "root";
  return catalog.put_account(root);
}

}  // namespace wherestar::server
