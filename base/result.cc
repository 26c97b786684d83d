#include "base/result.h"

#include <cstdio>

namespace wherestar {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, expression);
  std::abort();
}

}  // namespace wherestar
