// Saturating arithmetic: a result beyond the range of int64_t is the nearest limit of the range.
//
// For numbers that come from outside, where a sum that overflows must not become a small number.
#pragma once

#include <cstdint>
#include <limits>

namespace berth {

constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

constexpr int64_t SaturatingSubtract(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b > 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

constexpr int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? std::numeric_limits<int64_t>::min()
                            : std::numeric_limits<int64_t>::max();
}

// Returns a * b / divisor, truncated; the product may exceed 64 bits. The divisor is not 0.
constexpr int64_t MultiplyDivide(int64_t a, int64_t b, int64_t divisor) {
  __extension__ using Wide = __int128;
  const Wide quotient = static_cast<Wide>(a) * b / divisor;
  if (quotient > std::numeric_limits<int64_t>::max()) return std::numeric_limits<int64_t>::max();
  if (quotient < std::numeric_limits<int64_t>::min()) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(quotient);
}

}  // namespace berth
