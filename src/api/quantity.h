// Quantity is Kubernetes' resource.Quantity: an exact decimal number with the suffix style it was
// written in.
//
// Almost all quantities are a 64-bit mantissa and a power of ten; the rest (for example "0.9Ei") are
// kept exactly too, with as many digits as they need. Finer precision than 1n is rounded away from
// zero; binary-suffixed values beyond 2^63-1 are clamped to it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  // Zero, DecimalSI.
  Quantity() = default;

  // Parses `text`; the error text is upstream's.
  static Result<Quantity> Parse(std::string_view text);

  static Quantity FromValue(int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(int64_t milli, Format format = Format::kDecimalSI);

  // The number rounded away from zero to an integer. Saturates where upstream wraps.
  int64_t Value() const;
  // A thousand times the number, rounded likewise.
  int64_t MilliValue() const;

  int Sign() const;
  bool IsZero() const { return Sign() == 0; }
  Format format() const { return format_; }

  // As Kubernetes prints it: a parsed text that is canonical already is echoed.
  std::string ToString() const;

  // Adding to zero takes over the other's format.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);

  // Compares the numbers, whatever their formats.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }
};

using ResourceList = std::map<std::string, Quantity, std::less<>>;

}  // namespace berth::api
