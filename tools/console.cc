#include "tools/console.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/text.h"

namespace wherestar::tools {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool wants_colour(ColourWish wish, bool terminal) {
  if (wish != ColourWish::kAuto) return wish == ColourWish::kAlways;
  if (is_set("NO_COLOR")) return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::strcmp(force, "0") != 0) return true;
  const char* term = std::getenv("TERM");
  return terminal && term != nullptr && std::strcmp(term, "dumb") != 0;
}

size_t terminal_width(int descriptor) {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const long wish = std::strtol(columns, nullptr, 10);
    if (wish >= 20 && wish <= 10'000) return static_cast<size_t>(wish);
  }
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

}  // namespace

Console::Console(std::FILE* out, std::FILE* err, const ConsoleOptions& options)
    : out_(out), err_(err), quiet_(options.quiet) {
  out_is_terminal_ = isatty(fileno(out)) == 1;
  err_is_terminal_ = isatty(fileno(err)) == 1;
  out_colour_ = wants_colour(options.colour, out_is_terminal_);
  err_colour_ = wants_colour(options.colour, err_is_terminal_);
  if (out_is_terminal_) width_ = terminal_width(fileno(out));
}

void Console::print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out_);
}

void Console::raw_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), err_);
  std::fflush(err_);
}

void Console::note(std::string_view line) {
  if (quiet_) return;
  flush();
  raw_error(std::string(line) + "\n");
}

void Console::warn(std::string_view message) {
  flush();
  const std::string word = err_colour_ ? with_style(Style::kYellow, "warning:") : "warning:";
  raw_error(word + " " + (err_is_terminal_ ? escape_for_terminal(message) : std::string(message)) +
            "\n");
}

void Console::fail(std::string_view message, std::string_view hint_text) {
  flush();
  const std::string word = err_colour_ ? with_style(Style::kRed, "error:") : "error:";
  raw_error(word + " " + (err_is_terminal_ ? escape_for_terminal(message) : std::string(message)) +
            "\n");
  if (!hint_text.empty()) hint(hint_text);
}

void Console::hint(std::string_view text) {
  flush();
  const std::string word = err_colour_ ? with_style(Style::kCyan, "hint:") : "hint:";
  raw_error(word + " " + (err_is_terminal_ ? escape_for_terminal(text) : std::string(text)) + "\n");
}

void Console::flush() {
  std::fflush(out_);
}

Status Console::finish() {
  const bool failed = std::fflush(out_) != 0 || std::ferror(out_) != 0;
  if (!failed) return {};
  const int error = errno;
  return fail_in("standard output", Error{error == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kIo,
                                          std::strerror(error)});
}

std::string Console::styled(Style style, std::string_view text) const {
  return out_colour_ ? with_style(style, text) : std::string(text);
}

std::string Console::shown(std::string_view data) const {
  return out_is_terminal_ ? escape_for_terminal(data) : std::string(data);
}

std::string with_style(Style style, std::string_view text) {
  switch (style) {
    case Style::kPlain:
      return std::string(text);
    case Style::kBold:
      return fmt::format("\x1b[1m{}\x1b[0m", text);
    case Style::kDim:
      return fmt::format("\x1b[2m{}\x1b[0m", text);
    case Style::kRed:
      return fmt::format("\x1b[31m{}\x1b[0m", text);
    case Style::kYellow:
      return fmt::format("\x1b[33m{}\x1b[0m", text);
    case Style::kGreen:
      return fmt::format("\x1b[32m{}\x1b[0m", text);
    case Style::kCyan:
      return fmt::format("\x1b[36m{}\x1b[0m", text);
  }
  return std::string(text);
}

}  // namespace wherestar::tools
