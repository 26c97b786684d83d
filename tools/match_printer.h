// The matches of `search`, as people and programs read them, and their totals.
//
//   products:30    $.title                «Beach»      leather · one size · 3238.9
//
// The first kHeldRows are held back to line the columns up. One thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/commands.h"

namespace wherestar::tools {

struct Match {
  std::string collection;
  Cell id;  // a file's line, or the document's _id as JSON
  std::string place;
  std::string value;     // JSON text
  std::string document;  // JSON text
};

class MatchPrinter {
 public:
  static constexpr size_t kHeldRows = 100;

  explicit MatchPrinter(Context& context);
  void print(const Match& match);
  void finish();
  size_t printed() const { return printed_; }

 private:
  Cell as_column(const Cell& cell) const;
  void print_line(const Match& match);

  Context& context_;
  std::unique_ptr<RowWriter> writer_;  // of the formats for programs
  std::vector<Match> held_;
  size_t widths_[3] = {0, 0, 0};
  size_t printed_ = 0;
};

}  // namespace wherestar::tools
