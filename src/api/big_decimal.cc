#include "api/big_decimal.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/check.h"

namespace berth::api {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

void StripLeadingZeros(std::string& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
}

// Returns nullopt if the number does not fit in 64 bits.
std::optional<int64_t> ToInt64(bool negative, const std::string& digits) {
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  const uint64_t limit = uint64_t{kMax} + (negative ? 1 : 0);
  if (error != std::errc() || magnitude > limit) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

// Adds one to the magnitude.
void Increment(std::string& digits) {
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i] != '9') {
      ++digits[i];
      return;
    }
    digits[i] = '0';
  }
  digits.insert(digits.begin(), '1');
}

// Adds two numbers of the same length.
std::string AddDigits(const std::string& a, const std::string& b) {
  std::string sum(a.size() + 1, '0');
  int carry = 0;
  for (size_t i = a.size(); i-- > 0;) {
    const int digit = (a[i] - '0') + (b[i] - '0') + carry;
    sum[i + 1] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  sum[0] = static_cast<char>('0' + carry);
  return sum;
}

// Subtracts two numbers of the same length, a >= b.
std::string SubtractDigits(const std::string& a, const std::string& b) {
  std::string difference(a.size(), '0');
  int borrow = 0;
  for (size_t i = a.size(); i-- > 0;) {
    int digit = a[i] - b[i] - borrow;
    borrow = digit < 0 ? 1 : 0;
    if (digit < 0) digit += 10;
    difference[i] = static_cast<char>('0' + digit);
  }
  return difference;
}

}  // namespace

BigDecimal::BigDecimal(int64_t mantissa, int64_t scale)
    : negative_(mantissa < 0), digits_(std::to_string(mantissa)), scale_(scale) {
  if (negative_) digits_.erase(0, 1);
  Normalise();
}

BigDecimal::BigDecimal(bool negative, std::string digits, int64_t scale)
    : negative_(negative), digits_(std::move(digits)), scale_(scale) {
  Normalise();
}

void BigDecimal::Normalise() {
  StripLeadingZeros(digits_);
  if (digits_.empty()) {
    *this = BigDecimal();
    return;
  }
  const size_t zeros = digits_.size() - 1 - digits_.find_last_not_of('0');
  digits_.resize(digits_.size() - zeros);
  scale_ += static_cast<int64_t>(zeros);
}

std::optional<int64_t> BigDecimal::SmallMantissa() const {
  if (digits_.empty()) return 0;
  if (!std::in_range<int32_t>(scale_)) return std::nullopt;
  return ToInt64(negative_, digits_);
}

void BigDecimal::MultiplyByPowerOfTwo(int exponent) {
  CHECK(exponent >= 0 && exponent <= 60);
  uint64_t carry = 0;  // At most 2^60, so that 9 * 2^60 + carry fits.
  for (size_t i = digits_.size(); i-- > 0;) {
    carry += static_cast<uint64_t>(digits_[i] - '0') << exponent;
    digits_[i] = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry != 0) digits_.insert(0, std::to_string(carry));
  Normalise();
}

void BigDecimal::RoundAwayFromZero(int64_t scale) {
  if (digits_.empty() || scale_ >= scale) return;
  // The last digit is not zero, so the dropped digits are not zero either: the magnitude grows.
  const int64_t remaining = std::max<int64_t>(top() - scale, 0);
  digits_.resize(static_cast<size_t>(remaining));
  Increment(digits_);
  scale_ = scale;
  Normalise();
}

int64_t BigDecimal::InUnits(int64_t unit) const {
  if (digits_.empty()) return 0;
  const int64_t saturated = negative_ ? kMin : kMax;
  if (top() - unit > 19) return saturated;
  BigDecimal rounded = *this;
  rounded.RoundAwayFromZero(unit);
  rounded.digits_.append(static_cast<size_t>(rounded.scale_ - unit), '0');
  return ToInt64(negative_, rounded.digits_).value_or(saturated);
}

BigDecimal BigDecimal::operator-() const {
  BigDecimal result = *this;
  result.negative_ = !digits_.empty() && !negative_;
  return result;
}

BigDecimal operator+(const BigDecimal& a, const BigDecimal& b) {
  if (a.digits_.empty()) return b;
  if (b.digits_.empty()) return a;
  const bool a_larger = BigDecimal::CompareMagnitudes(a, b) >= 0;
  const BigDecimal& larger = a_larger ? a : b;
  const BigDecimal& smaller = a_larger ? b : a;
  // DIFFERS: upstream materialises every zero between the two, gigabytes for 1e999999999 + 1.
  if (larger.scale_ - smaller.top() > BigDecimal::kMaxSpan) return larger;

  const int64_t scale = std::min(a.scale_, b.scale_);
  std::string high = larger.digits_;
  high.append(static_cast<size_t>(larger.scale_ - scale), '0');
  std::string low(static_cast<size_t>(larger.top() - smaller.top()), '0');
  low += smaller.digits_;
  low.append(static_cast<size_t>(smaller.scale_ - scale), '0');
  return {larger.negative_,
          a.negative_ == b.negative_ ? AddDigits(high, low) : SubtractDigits(high, low), scale};
}

std::strong_ordering BigDecimal::CompareMagnitudes(const BigDecimal& a, const BigDecimal& b) {
  if (a.digits_.empty() || b.digits_.empty()) return a.digits_.size() <=> b.digits_.size();
  if (a.top() != b.top()) return a.top() <=> b.top();
  return a.digits_ <=> b.digits_;  // Aligned at the first digit, without trailing zeros.
}

std::strong_ordering operator<=>(const BigDecimal& a, const BigDecimal& b) {
  if (a.Sign() != b.Sign()) return a.Sign() <=> b.Sign();
  return a.negative_ ? BigDecimal::CompareMagnitudes(b, a) : BigDecimal::CompareMagnitudes(a, b);
}

int DivideDigits(std::string& digits, int divisor) {
  int remainder = 0;
  for (char& digit : digits) {
    remainder = remainder * 10 + (digit - '0');
    digit = static_cast<char>('0' + remainder / divisor);
    remainder %= divisor;
  }
  StripLeadingZeros(digits);
  return remainder;
}

}  // namespace berth::api
