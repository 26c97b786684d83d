#include "tools/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/numbers.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

std::string bar(double share, size_t cells) {
  const auto halves = static_cast<size_t>(share * static_cast<double>(2 * cells));
  std::string text;
  for (size_t cell = 0; cell < cells; ++cell) {
    text += 2 * cell + 2 <= halves ? "━" : 2 * cell + 1 <= halves ? "╸" : "─";
  }
  return text;
}

}  // namespace

std::string progress_text(const ProgressState& state, uint64_t total, double seconds,
                          size_t width) {
  std::string text = state.label;
  const double share =
      total == 0 ? 0 : std::min(1.0, static_cast<double>(state.done) / static_cast<double>(total));
  if (total > 0) {
    if (width > 0) text += "  " + bar(share, 20);
    text += "  " + percentage(std::min(state.done, total), total);
  }
  text += fmt::format("  {} docs", grouped(state.documents));
  if (seconds > 0.5) {
    text += fmt::format(
        "  {}/s", grouped(static_cast<uint64_t>(static_cast<double>(state.documents) / seconds)));
    if (share > 0.01 && share < 1) {
      const auto left = static_cast<uint64_t>(seconds / share * (1 - share) + 0.5);
      text += fmt::format("  {}:{:02} left", left / 60, left % 60);
    }
  }
  if (state.bad > 0) text += fmt::format("  {} bad", grouped(state.bad));
  return width > 0 ? cut_to_width(text, width - 1) : text;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void Progress::update(const ProgressState& state) {
  if (console_.quiet()) return;
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < (console_.err_is_terminal() ? 100ms : 10'000ms)) return;
  drawn_ = now;
  if (!console_.err_is_terminal()) {
    console_.raw_error(progress_text(state, total_, seconds(), 0) + "\n");
    return;
  }
  const size_t width = console_.width() > 0 ? console_.width() : 80;
  console_.raw_error("\r\x1b[K" + progress_text(state, total_, seconds(), width));
  visible_ = true;
}

void Progress::clear() {
  if (visible_) console_.raw_error("\r\x1b[K");
  visible_ = false;
}

}  // namespace wherestar::tools
