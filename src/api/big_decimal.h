// BigDecimal is a decimal number of arbitrary precision, for quantities that do not fit in 64 bits.
//
// Every operation is linear in the number of digits; none expands the power of ten.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace berth::api {

class BigDecimal {
 public:
  // Zero.
  BigDecimal() = default;
  BigDecimal(int64_t mantissa, int64_t scale);
  // `digits` are decimal digits; the number is digits * 10^scale.
  BigDecimal(bool negative, std::string digits, int64_t scale);

  int Sign() const { return digits_.empty() ? 0 : (negative_ ? -1 : 1); }
  bool negative() const { return negative_; }
  // Returns the digits without leading and trailing zeros; empty for zero.
  const std::string& digits() const { return digits_; }
  int64_t scale() const { return scale_; }

  // Returns the digits as a signed integer, or nullopt if they exceed 64 bits or the scale exceeds
  // 32 bits.
  std::optional<int64_t> SmallMantissa() const;

  // Multiplies by 2^`exponent`, which is at most 60.
  void MultiplyByPowerOfTwo(int exponent);
  // Rounds away from zero to a multiple of 10^`scale`.
  void RoundAwayFromZero(int64_t scale);

  // Returns the number in units of 10^`unit`, rounded away from zero and saturated.
  int64_t InUnits(int64_t unit) const;

  // The sum of two numbers more than kMaxSpan digits apart is the larger of them.
  static constexpr int64_t kMaxSpan = 10'000;
  BigDecimal operator-() const;
  friend BigDecimal operator+(const BigDecimal& a, const BigDecimal& b);

  friend std::strong_ordering operator<=>(const BigDecimal& a, const BigDecimal& b);
  friend bool operator==(const BigDecimal& a, const BigDecimal& b) { return (a <=> b) == 0; }

 private:
  void Normalise();
  // Returns the power of ten above the first digit: 3 for 123.
  int64_t top() const { return scale_ + static_cast<int64_t>(digits_.size()); }
  static std::strong_ordering CompareMagnitudes(const BigDecimal& a, const BigDecimal& b);

  bool negative_ = false;
  std::string digits_;
  int64_t scale_ = 0;
};

// Divides decimal `digits` by `divisor`; returns the remainder. Leading zeros are removed.
int DivideDigits(std::string& digits, int divisor);

}  // namespace berth::api
