#include "api/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "api/big_decimal.h"
#include "base/text.h"

namespace berth::api {
namespace {

constexpr const char* kFormatError =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kNumberError = "unable to parse numeric part of quantity";
constexpr const char* kSuffixError = "unable to parse quantity's suffix";

constexpr int kNano = -9;
// DIFFERS: upstream sets no such limit. Numbers with more digits are rejected, so that scales
// cannot overflow and every printed quantity can be parsed again.
constexpr int64_t kMaxExponent = 1'000'000'000;

constexpr auto kPowersOfTen = [] {
  std::array<int64_t, 19> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

constexpr std::string_view kDecimalSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
constexpr std::string_view kBinarySuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

// Multiplies by 10^power; returns false if the result does not fit.
bool MultiplyByPowerOfTen(int64_t& number, int64_t power) {
  if (number == 0) return true;
  if (power >= std::ssize(kPowersOfTen)) return false;
  return !__builtin_mul_overflow(number, kPowersOfTen[power], &number);
}

constexpr auto kIsSuffixLetter = [] {
  std::array<bool, 256> is{};
  for (const char c : std::string_view("eEinumkKMGTP")) is[static_cast<unsigned char>(c)] = true;
  return is;
}();

// Returns the power of a thousand that a suffix such as k, M or G denotes; nullopt for others.
std::optional<int32_t> PowerOfThousand(char letter) {
  switch (letter) {
    case 'n':
      return -3;
    case 'u':
      return -2;
    case 'm':
      return -1;
    case 'k':
      return 1;
    case 'M':
      return 2;
    case 'G':
      return 3;
    case 'T':
      return 4;
    case 'P':
      return 5;
    case 'E':
      return 6;
    default:
      return std::nullopt;
  }
}

// The components of a quantity's text.
struct Parts {
  bool negative = false;
  bool has_digits = false;
  std::string_view whole;  // Without leading zeros, but not empty.
  std::string_view fraction;
  std::string_view suffix;
};

std::optional<Parts> Split(std::string_view text) {
  Parts parts;
  size_t pos = 0;
  const auto take_digits = [&] {
    const size_t start = pos;
    while (pos < text.size() && IsDigit(text[pos])) ++pos;
    return text.substr(start, pos - start);
  };
  if (text.starts_with('-') || text.starts_with('+')) {
    parts.negative = text[0] == '-';
    ++pos;
  }
  const size_t start = pos;
  while (pos < text.size() && text[pos] == '0') ++pos;
  parts.whole = take_digits();
  parts.has_digits = pos > start;
  if (parts.whole.empty()) parts.whole = "0";
  if (pos < text.size() && text[pos] == '.') {
    ++pos;
    parts.fraction = take_digits();
    parts.has_digits |= !parts.fraction.empty();
  }
  parts.suffix = text.substr(pos);
  while (pos < text.size() && kIsSuffixLetter[static_cast<unsigned char>(text[pos])]) ++pos;
  if (pos < text.size() && (text[pos] == '-' || text[pos] == '+')) ++pos;
  take_digits();
  if (pos != text.size()) return std::nullopt;
  return parts;
}

struct Unit {
  Quantity::Format format = Quantity::Format::kDecimalSI;
  int32_t exponent = 0;  // Of two for kBinarySI, else of ten.
};

// Parses the number after "e" or "E".
std::optional<Unit> ParseExponent(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (exponent < -kMaxExponent || exponent > kMaxExponent) return std::nullopt;
  return Unit{Quantity::Format::kDecimalExponent, static_cast<int32_t>(exponent)};
}

std::optional<Unit> ParseSuffix(std::string_view suffix) {
  using Format = Quantity::Format;
  if (suffix.empty()) return Unit{};
  if (suffix.size() == 1) {
    const std::optional<int32_t> power = PowerOfThousand(suffix[0]);
    if (!power) return std::nullopt;
    return Unit{Format::kDecimalSI, 3 * *power};
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    // Kilo differs from the decimal suffix: Ki, not ki.
    const std::optional<int32_t> power = suffix[0] == 'K' ? 1 : PowerOfThousand(suffix[0]);
    if (!power || *power < 1 || suffix[0] == 'k') return std::nullopt;
    return Unit{Format::kBinarySI, 10 * *power};
  }
  if (suffix[0] == 'e' || suffix[0] == 'E') return ParseExponent(suffix.substr(1));
  return std::nullopt;
}

// Reports whether upstream parses this text without arbitrary precision. Only such texts are
// printed as they were written.
bool IsSimple(const Parts& parts, const Unit& unit) {
  const auto whole = static_cast<int64_t>(parts.whole.size());
  const auto fraction = static_cast<int64_t>(parts.fraction.size());
  if (unit.format == Quantity::Format::kBinarySI) {
    return fraction == 0 && whole + unit.exponent * 3 / 10 <= 14;
  }
  return whole + fraction <= 18 && unit.exponent - fraction >= kNano;
}

BigDecimal ParseBig(const Parts& parts, Unit& unit) {
  const auto fraction = static_cast<int64_t>(parts.fraction.size());
  std::string digits(parts.whole);
  digits += parts.fraction;
  if (unit.format != Quantity::Format::kBinarySI) {
    BigDecimal number(parts.negative, std::move(digits), unit.exponent - fraction);
    number.RoundAwayFromZero(kNano);
    return number;
  }
  BigDecimal magnitude(false, std::move(digits), -fraction);
  magnitude.MultiplyByPowerOfTwo(unit.exponent);
  magnitude.RoundAwayFromZero(kNano);
  magnitude = std::min(magnitude, BigDecimal(INT64_MAX, 0));
  if (magnitude.Sign() > 0 && magnitude < BigDecimal(1, 0)) {
    unit.format = Quantity::Format::kDecimalSI;
  }
  return parts.negative ? -magnitude : magnitude;
}

// Formats `number` * 10^`scale`; `number` is a signed decimal integer without leading zeros.
std::string CanonicalDecimal(std::string number, int64_t scale, Quantity::Format format) {
  const size_t zeros = number.size() - 1 - number.find_last_not_of('0');
  number.resize(number.size() - zeros);
  scale += static_cast<int64_t>(zeros);
  for (; scale % 3 != 0; --scale) number += '0';

  const int64_t index = (scale - kNano) / 3;
  if (format == Quantity::Format::kDecimalSI && index < std::ssize(kDecimalSuffixes)) {
    number += kDecimalSuffixes[index];
  } else if (scale != 0) {
    // There is no suffix beyond E.
    number += 'e' + std::to_string(scale);
  }
  return number;
}

// Parses a number that is well-formed. Too large is infinite, too small zero.
double ParseDouble(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc::result_out_of_range) return number;
  return text.find("e-") == std::string::npos ? std::numeric_limits<double>::infinity() : 0;
}

// CanonicalBinary returns nullopt for a number that is printed with a decimal suffix.
std::optional<std::string> CanonicalBinary(int64_t number) {
  if (number > -1024 && number < 1024) return std::nullopt;
  size_t index = 0;
  for (; number % 1024 == 0 && index + 1 < std::size(kBinarySuffixes); ++index) number /= 1024;
  return std::to_string(number).append(kBinarySuffixes[index]);
}

std::optional<std::string> CanonicalBinary(const BigDecimal& number) {
  // A number with a huge exponent would have to be expanded.
  if (number.scale() < 0 || number.scale() > BigDecimal::kMaxSpan) return std::nullopt;
  std::string digits = number.digits() + std::string(static_cast<size_t>(number.scale()), '0');
  size_t index = 0;
  for (; index + 1 < std::size(kBinarySuffixes); ++index) {
    std::string quotient = digits;
    if (DivideDigits(quotient, 1024) != 0) break;
    digits = std::move(quotient);
  }
  if (number.negative()) digits.insert(0, 1, '-');
  return digits.append(kBinarySuffixes[index]);
}

}  // namespace

struct Quantity::Rare {
  std::string text;               // The result of ToString, if not empty.
  std::optional<BigDecimal> big;  // Replaces mantissa and scale.
};

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return Fail(kFormatError);
  const std::optional<Parts> parts = Split(text);
  if (!parts) return Fail(kFormatError);
  std::optional<Unit> unit = ParseSuffix(parts->suffix);
  if (!unit || unit->exponent + std::ssize(parts->whole) > kMaxExponent) return Fail(kSuffixError);
  if (!IsSimple(*parts, *unit)) {
    if (!parts->has_digits) return Fail(kNumberError);
    BigDecimal number = ParseBig(*parts, *unit);
    return FromBig(std::move(number), unit->format);
  }

  int64_t mantissa = 0;
  for (const char c : parts->whole) mantissa = mantissa * 10 + (c - '0');
  for (const char c : parts->fraction) mantissa = mantissa * 10 + (c - '0');
  const bool binary = unit->format == Format::kBinarySI;
  const int32_t scale = binary ? 0 : unit->exponent - static_cast<int32_t>(parts->fraction.size());
  const bool echoed =
      binary ? mantissa % 8 != 0 : scale % 3 == 0 && parts->whole[0] != '0' && mantissa % 1000 != 0;
  if (binary) mantissa <<= unit->exponent;
  if (parts->negative) mantissa = -mantissa;
  Quantity quantity(mantissa, mantissa == 0 ? 0 : scale, unit->format);
  // A zero keeps its decimals upstream, and is no integer then.
  quantity.is_arbitrary_ = mantissa == 0 && scale < 0;
  // Without a plus, leading zeros, a point or an exponent, the text equals its canonical form.
  const size_t plain_size = (parts->negative ? 1 : 0) + parts->whole.size() + parts->suffix.size();
  if (echoed && (text.size() != plain_size || unit->format == Format::kDecimalExponent) &&
      quantity.Canonical() != text) {
    quantity.rare_ = std::make_shared<const Rare>(Rare{std::string(text), std::nullopt});
  }
  return quantity;
}

Quantity Quantity::FromValue(int64_t value, Format format) { return Quantity(value, 0, format); }

Quantity Quantity::FromMilli(int64_t milli, Format format) { return Quantity(milli, -3, format); }

Quantity Quantity::FromBig(BigDecimal number, Format format) {
  if (const std::optional<int64_t> mantissa = number.SmallMantissa()) {
    Quantity quantity(*mantissa, static_cast<int32_t>(number.scale()), format);
    quantity.is_arbitrary_ = true;
    return quantity;
  }
  Quantity quantity(0, 0, format);
  quantity.is_arbitrary_ = true;
  quantity.rare_ = std::make_shared<const Rare>(Rare{"", std::move(number)});
  return quantity;
}

const BigDecimal* Quantity::big() const {
  return rare_ != nullptr && rare_->big ? &*rare_->big : nullptr;
}

BigDecimal Quantity::ToBig() const { return big() ? *big() : BigDecimal(mantissa_, scale_); }

int Quantity::Sign() const {
  if (const BigDecimal* number = big()) return number->Sign();
  return mantissa_ == 0 ? 0 : (mantissa_ < 0 ? -1 : 1);
}

// DIFFERS: upstream does not detect overflow; its result wraps around or is 0.
int64_t Quantity::InUnits(int32_t unit) const {
  if (const BigDecimal* number = big()) return number->InUnits(unit);
  const int64_t shift = int64_t{scale_} - unit;
  int64_t result = mantissa_;
  if (shift >= 0) {
    if (MultiplyByPowerOfTen(result, shift)) return result;
    return mantissa_ < 0 ? INT64_MIN : INT64_MAX;
  }
  if (-shift >= std::ssize(kPowersOfTen)) return Sign();
  const int64_t divisor = kPowersOfTen[-shift];
  return result / divisor + (result % divisor != 0 ? Sign() : 0);
}

int64_t Quantity::Value() const { return InUnits(0); }

int64_t Quantity::MilliValue() const { return InUnits(-3); }

std::optional<int64_t> Quantity::AsInt64() const {
  int64_t number = mantissa_;
  if (is_arbitrary_ || scale_ < 0 || !MultiplyByPowerOfTen(number, scale_)) return std::nullopt;
  return number;
}

double Quantity::AsApproximateFloat64() const {
  const BigDecimal* number = big();
  const double base = number == nullptr
                          ? static_cast<double>(mantissa_)
                          : ParseDouble((number->negative() ? "-" : "") + number->digits());
  const int64_t exponent = number == nullptr ? scale_ : number->scale();
  // The power is the nearest double, as Go's math.Pow10 has it.
  return exponent == 0 ? base : base * ParseDouble("1e" + std::to_string(exponent));
}

std::string Quantity::ToString() const {
  if (rare_ != nullptr && !rare_->text.empty()) return rare_->text;
  return Canonical();
}

std::string Quantity::Canonical() const {
  if (IsZero()) return "0";
  Format format = format_;
  if (format == Format::kBinarySI) {
    const int64_t whole = Value();
    const auto text = FromValue(whole) == *this ? CanonicalBinary(whole) : CanonicalBinary(ToBig());
    if (text) return *text;
    format = Format::kDecimalSI;
  }
  if (const BigDecimal* number = big()) {
    std::string digits = (number->negative() ? "-" : "") + number->digits();
    return CanonicalDecimal(std::move(digits), number->scale(), format);
  }
  return CanonicalDecimal(std::to_string(mantissa_), scale_, format);
}

void Quantity::Add(const Quantity& other, bool negate) {
  const Format format = IsZero() ? other.format_ : format_;
  const bool is_arbitrary = is_arbitrary_ || other.is_arbitrary_;
  if (big() == nullptr && other.big() == nullptr) {
    const int32_t scale = std::min(scale_, other.scale_);
    int64_t a = mantissa_;
    int64_t b = other.mantissa_;
    int64_t sum = 0;
    if (MultiplyByPowerOfTen(a, int64_t{scale_} - scale) &&
        MultiplyByPowerOfTen(b, int64_t{other.scale_} - scale) &&
        !(negate ? __builtin_sub_overflow(a, b, &sum) : __builtin_add_overflow(a, b, &sum))) {
      *this = Quantity(sum, sum == 0 ? 0 : scale, format);
      is_arbitrary_ = is_arbitrary;
      return;
    }
  }
  *this = FromBig(ToBig() + (negate ? -other.ToBig() : other.ToBig()), format);
}

Quantity& Quantity::operator+=(const Quantity& other) {
  Add(other, false);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  Add(other, true);
  return *this;
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (a.big() != nullptr || b.big() != nullptr) return a.ToBig() <=> b.ToBig();
  const int32_t scale = std::min(a.scale_, b.scale_);
  int64_t left = a.mantissa_;
  int64_t right = b.mantissa_;
  // At most one is multiplied. If it exceeds 64 bits, its sign decides: the other one does not.
  if (!MultiplyByPowerOfTen(left, int64_t{a.scale_} - scale)) return a.Sign() <=> 0;
  if (!MultiplyByPowerOfTen(right, int64_t{b.scale_} - scale)) return 0 <=> b.Sign();
  return left <=> right;
}

}  // namespace berth::api
