// System variables and status values that clients ask for by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/sql_value.h"
#include "server/store_core.h"

namespace wherestar::server {

// Clients compare versions as MySQL's, so the number in front is that of the MySQL whose X Protocol
// and expressions are followed; what it really is stands behind.
inline constexpr std::string_view kVersion = "8.0.35-wherestar";

// Names in lower case, sorted, with the values that a new session has.
std::vector<std::pair<std::string, SqlValue>> default_variables(const StoreCore& core);
std::vector<std::pair<std::string, std::string>> status_variables(const StoreCore& core);

}  // namespace wherestar::server
