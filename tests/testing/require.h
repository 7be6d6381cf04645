// Require checks what a fixture depends on. It throws where that is not so, which fails the test
// that uses the fixture; a CHECK would end all tests of the program.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace berth {

inline void Require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

// Returns the value of `result`.
template <typename T>
T Require(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace berth
