// Names that somebody may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wherestar::tools {

// Insertions, deletions, replacements and swaps of neighbours, in bytes. Gives up (returns
// limit + 1) beyond `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// At most 3 candidates within distance 2 (1 for words of up to 4 letters), nearest first, ASCII
// case ignored; never the word itself.
std::vector<std::string> near_misses(std::string_view word,
                                     std::span<const std::string> candidates);

// "did you mean 'a', 'b' or 'c'?", empty when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace wherestar::tools
