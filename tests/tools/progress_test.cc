#include "tools/progress.h"

#include <doctest/doctest.h>

#include "tools/text.h"

using namespace wherestar::tools;

TEST_CASE("a plain progress line has counts, rate and share") {
  const ProgressState state{.label = "a.jsonl", .done = 610, .documents = 612'300, .bad = 2};
  CHECK(progress_text(state, 1000, 4.0, 0) ==
        "a.jsonl  61.0%  612,300 docs  153,075/s  0:03 left  2 bad");
  CHECK(progress_text(state, 0, 4.0, 0) == "a.jsonl  612,300 docs  153,075/s  2 bad");
}

TEST_CASE("on a terminal there is a bar, and the line fits") {
  const ProgressState state{.label = "a.jsonl", .done = 500, .documents = 10};
  const std::string text = progress_text(state, 1000, 0.1, 80);
  CHECK(text.find("━━━━━━━━━━──────────") != std::string::npos);
  CHECK(text.find("/s") == std::string::npos);  // too early to tell
  CHECK(display_width(progress_text(state, 1000, 9.0, 20)) < 20);
}
