// Which member names look alike, so that an object that uses them is a map and not a record.
//
// A signature forgets what differs between keys of one kind: digits, letters, lengths of ids.
//
//   u42 -> "b"      2024-01-31 -> "9-9-9"     en_US -> "a2_a2"     7Hq3xZ -> "x6"
//   6ba7b810-9dad-11d1-80b4-00c04fd430c8 -> "U"       5f0c...(24 hex digits) -> "H24"
//
// A name made of letters alone keeps its length, since words are what records are made of.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wherestar::index {

// Named members of one object before it is looked at; afterwards at each doubling.
inline constexpr size_t kFoldThreshold = 256;
// An object with that many names is a map whatever they look like.
inline constexpr size_t kFoldAlwaysThreshold = 4096;

std::string name_signature(std::string_view name);

// The signature that at least nine of ten names share, if any.
std::optional<std::string> common_signature(std::span<const std::string_view> names);

}  // namespace wherestar::index
