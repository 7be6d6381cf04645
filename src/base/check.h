// CHECK(condition) ends the program with a message if `condition` does not hold.
//
// It guards what cannot happen unless Berth itself is wrong, in production too. Input from outside
// never trips one.
#pragma once

namespace berth {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace berth

#define CHECK(condition)                             \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::berth::CheckFailed(#condition, __FILE__, __LINE__))
