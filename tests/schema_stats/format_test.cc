#include <vector>

#include <doctest/doctest.h>

#include "schema_stats/schema_stats.h"

namespace wherestar::schema_stats {
namespace {

TEST_CASE("formats are what the standards say and nothing near them") {
  struct Example {
    Format format;
    std::vector<std::string> yes, no;
  };
  const std::vector<Example> examples = {
      {Format::kDate,
       {"2003-02-13", "2000-02-29", "0001-01-01"},
       {"2003-02-30", "1900-02-29", "2003-13-01", "2003-00-10", "2003-1-1", "2003/02/13",
        "20030213"}},
      {Format::kDateTime,
       {"2011-03-12T23:59:59Z", "2011-03-12t00:00:00.123+02:00", "2011-03-12T00:00:00-23:59"},
       {"2011-03-12 23:59:59Z", "2011-03-12T23:59:59", "2011-03-12T24:00:00Z", "2011-03-12T",
        "2011-03-12T00:00:00.Z", "2011-03-12T00:00:00+2:00", "2011-03-12T00:00:00+02:00x"}},
      {Format::kTime, {"23:59:59Z", "00:00:00.5-01:00"}, {"23:59", "23:59:59", "24:00:00Z"}},
      {Format::kUuid,
       {"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"},
       {"6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b8109dad11d180b400c04fd430c8aaaa",
        "gba7b810-9dad-11d1-80b4-00c04fd430c8"}},
      {Format::kEmail,
       {"a@b.nl", "first.last+tag@sub.example.org"},
       {"a@b", "@b.nl", "a@", "a b@c.nl", ".a@b.nl", "a..b@c.nl", "a@-b.nl", "a@b..nl",
        "a@b@c.nl"}},
      {Format::kUri,
       {"https://example.org/a?b=c#d", "ftp://x", "a+b://h/%20"},
       {"example.org", "https:", "https://", "https://a b", "1http://x", "http://%2",
        "note: this"}},
      {Format::kIpv4,
       {"127.0.0.1", "255.255.255.255", "0.0.0.0"},
       {"256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.", "1..2.3"}},
      {Format::kIpv6,
       {"::1", "::", "2001:db8::8a2e:370:7334", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::"},
       {"1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1:2:3:4:5:6:7", "12345::", "1:", ":"}},
      {Format::kIntegerText,
       {"0", "-17", "18446744073709551615"},
       {"01", "-", "1.0", "+1", "1e3", "", "123456789012345678901234567890"}},
  };
  for (const Example& example : examples) {
    INFO("format ", std::string(format_name(example.format)));
    for (const std::string& text : example.yes) {
      INFO("text ", text);
      CHECK(detect_format(text) == example.format);
    }
    for (const std::string& text : example.no) {
      INFO("text ", text);
      CHECK(detect_format(text) != example.format);
    }
  }
}

TEST_CASE("plain words, long texts and text with zero bytes have no format") {
  for (const std::string& text :
       {std::string("beach"), std::string("Oh, no"), std::string(1 << 20, '1'),
        std::string("https://") + std::string(1 << 20, 'a'), std::string("12\0", 3)})
    CHECK(detect_format(text) == std::nullopt);
}

}  // namespace
}  // namespace wherestar::schema_stats
