#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "berth: internal error: CHECK(%s) failed at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace berth
