// Accounts: what a login is checked against.
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/catalog.h"

namespace wherestar::server {

// Keeps verifiers, never the password; an empty password has empty ones. kNotFound: no such user.
Status set_account_password(Catalog& catalog, std::string_view user, std::string_view password);
// A fresh store gets `root` with an empty password.
Status ensure_root(Catalog& catalog);

}  // namespace wherestar::server
