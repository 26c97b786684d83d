// Where output goes: results to `out`, everything else to `err`.
//
// What it hides: whether either is a terminal, colours, NO_COLOR and CLICOLOR_FORCE, the width.
// One thread. Write errors of `out` (a full disk) are seen by finish().
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wherestar::tools {

enum class ColourWish { kAuto, kAlways, kNever };

enum class Style { kPlain, kBold, kDim, kRed, kYellow, kGreen, kCyan };

struct ConsoleOptions {
  ColourWish colour = ColourWish::kAuto;
  bool quiet = false;
};

class Console {
 public:
  Console(std::FILE* out, std::FILE* err, const ConsoleOptions& options);

  void print(std::string_view text);                                // a result
  void note(std::string_view line);                                 // on err, unless quiet
  void warn(std::string_view message);                              // "warning: ..."
  void fail(std::string_view message, std::string_view hint = {});  // "error: ...", "hint: ..."
  void hint(std::string_view text);
  void raw_error(std::string_view text);  // lines below an error, progress
  void flush();
  Status finish();  // flushes; kIo or kNoSpace when results could not be written

  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  bool quiet() const { return quiet_; }
  bool colour() const { return out_colour_; }
  // Columns of the terminal that shows results; 0: it is none, nothing may be cut.
  size_t width() const { return width_; }

  // The text, coloured when results may be.
  std::string styled(Style style, std::string_view text) const;
  // Data as it may be shown: escaped on a terminal, exact elsewhere.
  std::string shown(std::string_view data) const;

 private:
  std::FILE* out_;
  std::FILE* err_;
  bool out_is_terminal_ = false;
  bool err_is_terminal_ = false;
  bool out_colour_ = false;
  bool err_colour_ = false;
  bool quiet_ = false;
  size_t width_ = 0;
};

std::string with_style(Style style, std::string_view text);

}  // namespace wherestar::tools
