// Numbers for people. None of them rounds to a lie: 19,999 of 20,000 is ">99.9%", one document is
// "1 doc", and only zero is "0%".
#pragma once

#include <cstdint>
#include <string>

namespace wherestar::tools {

std::string grouped(uint64_t value);                     // 1,234,567
std::string estimate(double value, bool is_exact);       // 17,667 or ~17,700
std::string percentage(uint64_t part, uint64_t whole);   // 89.8%, 100%, >99.9%, <0.1%
std::string presence(uint64_t documents, uint64_t all);  // as percentage, but "1 doc"
// Ten cells in steps of an eighth: full only for all, empty only for none.
std::string presence_bar(uint64_t part, uint64_t whole);
std::string byte_size(uint64_t bytes);     // 512 B, 5.2 MB
std::string seconds_text(double seconds);  // 0.04 s, 12 s, 3:07 min
// "1 document", "2 documents".
std::string counted(uint64_t count, const char* noun);

}  // namespace wherestar::tools
