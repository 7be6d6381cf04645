// CHECK(condition) aborts the program with a message if `condition` is false.
//
// It guards invariants that only a bug in Berth can break, and stays on in production. External
// input must never trigger one.
#pragma once

namespace berth {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace berth

#define CHECK(condition)                             \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::berth::CheckFailed(#condition, __FILE__, __LINE__))
