// Ranges of sizes and costs, whose arithmetic saturates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace berth::cel {

// From `min` to `max` units, or elements of something.
struct CostRange {
  uint64_t min = 0;
  uint64_t max = 0;

  static constexpr CostRange Exactly(uint64_t size) { return {size, size}; }
  static constexpr CostRange Unknown() { return {0, UINT64_MAX}; }

  CostRange operator+(const CostRange& other) const {
    return {Add(min, other.min), Add(max, other.max)};
  }
  CostRange operator*(const CostRange& other) const {
    return {Multiply(min, other.min), Multiply(max, other.max)};
  }
  // Rounds up.
  CostRange Scaled(double factor) const { return {Scale(min, factor), Scale(max, factor)}; }
  // The smallest range that contains both.
  CostRange Union(const CostRange& other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }

 private:
  static uint64_t Add(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
  }
  static uint64_t Multiply(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
  }
  static uint64_t Scale(uint64_t number, double factor) {
    constexpr double kTwoTo64 = 18446744073709551616.0;
    const double scaled = std::ceil(static_cast<double>(number) * factor);
    return scaled >= kTwoTo64 ? UINT64_MAX : static_cast<uint64_t>(scaled);
  }
};

}  // namespace berth::cel
