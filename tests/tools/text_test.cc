#include "tools/text.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é") == 1);
  CHECK(display_width("e\xcc\x81") == 1);  // combining acute
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("🎉") == 2);
  CHECK(display_width("a\xe2\x80\x8d"
                      "b") == 2);  // zero width joiner
  CHECK(display_width("\xff\xfe") == 2);
}

TEST_CASE("cutting leaves room for the ellipsis and never splits a character") {
  CHECK(cut_to_width("abcdef", 6) == "abcdef");
  CHECK(cut_to_width("abcdefg", 6) == "abcde…");
  CHECK(cut_to_width("漢字漢字", 5) == "漢字…");
  CHECK(cut_to_width("漢字漢字", 4) == "漢…");
  CHECK(cut_to_width("abc", 1) == "…");
  CHECK(cut_to_width("abc", 0).empty());
  CHECK(cut_to_width("", 0).empty());
}

TEST_CASE("what could steer a terminal is shown as an escape") {
  CHECK(escape_for_terminal("plain é 漢") == "plain é 漢");
  CHECK(escape_for_terminal("\x1b[31mred") == "\\u{1b}[31mred");
  CHECK(escape_for_terminal("a\nb\tc\r") == "a\\nb\\tc\\r");
  CHECK(escape_for_terminal("\xe2\x80\xae"
                            "evil") == "\\u{202e}evil");
  CHECK(escape_for_terminal("\xe2\x81\xa6x") == "\\u{2066}x");
  CHECK(escape_for_terminal("\xc2\x9b"
                            "31m") == "\\u{9b}31m");
  CHECK(escape_for_terminal("\xff") == "\\xff");
  CHECK(escape_for_terminal(std::string_view("\0", 1)) == "\\u{0}");
}

TEST_CASE("padding goes by width") {
  CHECK(pad("漢", 4) == "漢  ");
  CHECK(pad("12", 4, true) == "  12");
  CHECK(pad("longer", 3) == "longer");
}
