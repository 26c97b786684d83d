// A collection's summary, read from the information views of a store.
#pragma once

#include <string>

#include "base/result.h"
#include "schema_stats/schema_stats.h"
#include "tools/connection.h"
#include "tools/summary.h"
#include "tools/target.h"

namespace wherestar::tools {

struct CollectionName {
  std::string database;
  std::string collection;
};

// The collections that a target names, sorted. kUnknownCollection, kUnknownDatabase.
Result<std::vector<CollectionName>> collections_of(Connection& connection, const Target& target);

Result<Summary> read_summary(Connection& connection, const CollectionName& name);

// For inferring a schema.
std::vector<schema_stats::PathSummary> path_summaries_of(const Summary& summary);

}  // namespace wherestar::tools
