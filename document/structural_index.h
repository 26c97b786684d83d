// The first stage of simdjson: where the tokens of a text begin.
//
// Only this stage is used. It checks UTF-8, control characters and closed strings at the speed of
// vector instructions, chosen at run time; the second stage would turn numbers into machine numbers
// and refuse those beyond 64 bits, which RFC 8259 allows and we keep.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace wherestar::document {

class StructuralIndex {
 public:
  StructuralIndex();
  ~StructuralIndex();

  // Offsets of { } [ ] : , and of the first byte of every string, number and word; at the end the
  // size of the text. False if simdjson refuses the text. Valid until the next call.
  bool build(std::string_view text);
  std::span<const uint32_t> tokens() const { return tokens_; }

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
  std::span<const uint32_t> tokens_;
};

}  // namespace wherestar::document
