// Takes a document apart in one pass over simdjson's token offsets.
//
// It accepts exactly RFC 8259 and our limits but does not say why it refuses: the Scanner does.
// Nothing is allocated per value: paths are numbered by a hash table over (parent, name) whose
// slots carry the number of the document they belong to, so that starting a document costs nothing;
// unescaped names and strings go to one buffer. Of members with one name the last counts; a member
// path remembers in which object it was met last, so that looking for duplicates is free.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace wherestar::document {

class Shredder {
 public:
  // False if it refuses. Views in the result live as long as `text` and until the next shred().
  bool shred(std::string_view text, std::span<const uint32_t> tokens);
  const Shredded& result() const { return shredded_; }
  // Index of the occurrence of `$._id`, or -1.
  int64_t id_occurrence() const;
  // Where the text of an occurrence begins.
  uint32_t start(size_t occurrence) const { return starts_[occurrence]; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Slot {
    uint32_t document = 0;
    uint32_t path = 0;
    uint64_t hash = 0;
  };
  struct LastSeen {          // of a member path
    uint32_t container = 0;  // serial number of the object
    uint32_t occurrence = 0;
  };
  struct Frame {
    uint32_t path = 0;
    uint32_t occurrence = 0;
    uint32_t element_path = kNone;
    uint32_t container = 0;
    bool is_array = false;
  };

  void reset(std::string_view text);
  bool walk();
  bool value(uint32_t path);  // at the first token of a value; opens containers
  bool after_value();         // ',' or the ends of containers, up to the next value
  bool first_inside();        // behind '{' or '['
  bool member();              // name and colon
  void element();
  bool scalar_end(size_t offset) const;
  bool word(std::string_view expected, uint32_t path, JsonType type, Scalar scalar);
  bool number(uint32_t path);
  bool string_inside(std::string_view& unescaped);
  Shredded::Occurrence& add(uint32_t path, JsonType type);
  uint32_t path_of(uint32_t parent, bool is_element, std::string_view name);
  void grow_slots();
  void drop_shadowed();

  uint32_t token() const { return tokens_[next_]; }
  bool at_end() const { return next_ + 1 >= tokens_.size(); }
  char token_char() const { return at_end() ? '\0' : text_[token()]; }

  std::string_view text_;
  std::span<const uint32_t> tokens_;
  size_t next_ = 0;
  Shredded shredded_;
  std::vector<uint32_t> starts_;     // beside occurrences
  std::vector<LastSeen> last_seen_;  // beside paths
  std::vector<Slot> slots_;
  std::vector<Frame> open_;
  std::vector<uint32_t> shadowed_;  // occurrences whose member came again
  std::string buffer_;
  uint32_t document_ = 0;
  uint32_t containers_ = 0;
  uint32_t pending_path_ = 0;  // of the value that comes next
};

}  // namespace wherestar::document
