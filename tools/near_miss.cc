#include "tools/near_miss.h"

#include <algorithm>
#include <cctype>

namespace wherestar::tools {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return out;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  // Three rows of the table of optimal string alignment.
  std::vector<size_t> before(a.size() + 1), above(a.size() + 1), row(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i) above[i] = i;
  for (size_t j = 1; j <= b.size(); ++j) {
    row[0] = j;
    size_t best = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      const size_t replaced = above[i - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[i] = std::min({row[i - 1] + 1, above[i] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[i] = std::min(row[i], before[i - 2] + 1);
      }
      best = std::min(best, row[i]);
    }
    if (best > limit) return limit + 1;
    before.swap(above);
    above.swap(row);
  }
  return std::min(above[a.size()], limit + 1);
}

std::vector<std::string> near_misses(std::string_view word,
                                     std::span<const std::string> candidates) {
  const size_t limit = word.size() <= 4 ? 1 : 2;
  const std::string wanted = lower(word);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& candidate : candidates) {
    if (candidate == word) continue;
    const size_t distance = edit_distance(wanted, lower(candidate), limit);
    if (distance <= limit) found.emplace_back(distance, candidate);
  }
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (auto& [distance, name] : found) {
    if (names.size() == 3) break;
    names.push_back(std::move(name));
  }
  return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string> names = near_misses(word, candidates);
  if (names.empty()) return {};
  std::string text = "did you mean ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "'" + names[i] + "'";
  }
  return text + "?";
}

}  // namespace wherestar::tools
