// The inferred schema in words.
#pragma once

#include <string>

#include "tools/summary.h"

namespace wherestar::tools {

// "products: 10 paths, 2 required (title, description), 8 optional, ...", and what is remarkable.
// A path is required when every document (for nested ones: every object it could be in) has it.
std::string render_schema(const Summary& summary);

}  // namespace wherestar::tools
