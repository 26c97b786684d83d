// Constants of a statement as values of the index.
#pragma once

#include <optional>
#include <string>

#include "document/value.h"
#include "index/index.h"
#include "server/planner.h"
#include "server/sql_value.h"

namespace wherestar::server {

// The JSON scalar that the value is when compared with documents; nullopt when it is none (SQL
// NULL, containers, temporal and binary values). Strings live as long as `value`.
std::optional<document::Scalar> scalar_of(const SqlValue& value);
// Of a kProbe node; its strings live as long as the node.
std::optional<index::Probe> probe_of(const PlanNode& node);
// For EXPLAIN: 'Jippie', 1974, true.
std::string display(const SqlValue& value);

}  // namespace wherestar::server
