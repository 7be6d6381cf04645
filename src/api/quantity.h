// Quantity is Kubernetes' resource.Quantity: an exact decimal number with the suffix style it was
// written in.
//
// Almost all quantities are a 64-bit mantissa and a power of ten; the others (for example "0.9Ei")
// use arbitrary precision. Precision finer than 1n is rounded away from zero; values with a binary
// suffix beyond 2^63-1 are clamped to it.
//
// A cheap value type: copies share the rarely needed parts.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

class BigDecimal;

class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  // Zero, DecimalSI.
  Quantity() = default;

  // Parses `text`; the errors are upstream's. Memory and time are linear in the length of the text,
  // independent of its exponent.
  static Result<Quantity> Parse(std::string_view text);

  static Quantity FromValue(int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(int64_t milli, Format format = Format::kDecimalSI);

  // Returns the number rounded away from zero to an integer. Saturates where upstream wraps.
  int64_t Value() const;
  // Returns a thousand times the number, rounded likewise.
  int64_t MilliValue() const;

  // Returns the number if upstream can convert it to an integer without arbitrary precision: 1k and
  // 40Gi, but neither 1500m nor 1.5Gi, nor what does not fit.
  std::optional<int64_t> AsInt64() const;
  double AsApproximateFloat64() const;

  int Sign() const;
  bool IsZero() const { return Sign() == 0; }
  Format format() const { return format_; }

  // Formats as Kubernetes does: a parsed text that upstream considers canonical is printed as is.
  std::string ToString() const;

  // Adding to zero takes the format of `other`. The result is exact, unless the operands are
  // thousands of digits apart: then the smaller one is dropped.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);

  // Compares the numbers; formats do not matter.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }

 private:
  // The parts that ordinary quantities do not have.
  struct Rare;

  Quantity(int64_t mantissa, int32_t scale, Format format)
      : mantissa_(mantissa), scale_(scale), format_(format) {}
  static Quantity FromBig(BigDecimal number, Format format);

  // Returns the number if it exceeds 64 bits, or nullptr if mantissa_ and scale_ hold it.
  const BigDecimal* big() const;
  BigDecimal ToBig() const;
  // Returns the number in units of 10^`unit`, rounded away from zero and saturated.
  int64_t InUnits(int32_t unit) const;
  std::string Canonical() const;
  void Add(const Quantity& other, bool negate);

  int64_t mantissa_ = 0;
  int32_t scale_ = 0;  // The number is mantissa_ * 10^scale_.
  Format format_ = Format::kDecimalSI;
  // Upstream holds the number with arbitrary precision, whether or not it fits in 64 bits.
  bool is_arbitrary_ = false;
  std::shared_ptr<const Rare> rare_;
};

using ResourceList = std::map<std::string, Quantity, std::less<>>;

}  // namespace berth::api
