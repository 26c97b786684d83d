// Least, greatest and most frequent values of one path, in bounded memory.
//
// Values are compared as the index orders them: null, false, true, numbers, strings. Frequencies
// are exact while no more than kTrackedValues different short values occur; then counting stops and
// top() is empty (a list that might be wrong is worse than none). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/value.h"

namespace wherestar::tools {

class ValueTracker {
 public:
  static constexpr size_t kTrackedValues = 100;
  static constexpr size_t kTrackedBytes = 200;  // of one value; longer extremes are kept cut

  // `json` is the value's text for showing it: made from the scalar when empty.
  void add(const document::Scalar& value, std::string_view number_text);

  std::optional<std::string> least_json() const;
  std::optional<std::string> greatest_json() const;
  // All values with their counts, most frequent first; nullopt when there were too many.
  std::optional<std::vector<std::pair<std::string, uint64_t>>> top() const;

 private:
  struct Kept {
    int rank = 0;  // of the type
    document::Number number;
    std::string text;  // number text or string
    bool cut = false;
  };
  static Kept keep(const document::Scalar& value, std::string_view number_text);
  static int compare(const document::Scalar& a, const Kept& b);
  static std::string to_json(const Kept& kept);

  std::optional<Kept> least_;
  std::optional<Kept> greatest_;
  std::map<std::string, uint64_t> counts_;  // by JSON text
  bool overflowed_ = false;
};

std::string scalar_json(const document::Scalar& value, std::string_view number_text);

}  // namespace wherestar::tools
