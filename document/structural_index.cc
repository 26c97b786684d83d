#include "document/structural_index.h"

// The library's header does not pass our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <simdjson.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <bit>

namespace wherestar::document {

namespace {

constexpr size_t kMinCapacityBytes = 4096;
constexpr size_t kKeptCapacityBytes = 4u << 20;  // more is given back at the next small text

}  // namespace

struct StructuralIndex::Implementation {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

StructuralIndex::StructuralIndex() : implementation_(std::make_unique<Implementation>()) {}
StructuralIndex::~StructuralIndex() = default;

bool StructuralIndex::build(std::string_view text) {
  auto& parser = implementation_->parser;
  const size_t capacity = std::bit_ceil(std::max(text.size() + 1, kMinCapacityBytes));
  const size_t present = parser ? parser->capacity() : 0;
  if (capacity > present || (present > kKeptCapacityBytes && capacity < present / 2)) {
    parser.reset();
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1,
                                                                                parser))
      return false;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (parser->stage1(bytes, text.size(), simdjson::stage1_mode::regular)) return false;
  uint32_t* tokens = parser->structural_indexes.get();
  const size_t count = parser->n_structural_indexes;
  tokens[count] = static_cast<uint32_t>(text.size());  // simdjson leaves room for sentinels
  tokens_ = {tokens, count + 1};
  return true;
}

}  // namespace wherestar::document
