// "...".format([...])
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/format_string.h"
#include "cel/libraries.h"
#include "cel/numbers.h"
#include "cel/time_text.h"

namespace berth::cel {
namespace {

constexpr int kDefaultPrecision = 6;

Result<std::string> WrongType(std::string_view what, const Value& value) {
  return Fail(fmt::format("error during formatting: {}, was given {}", what, value.type().name));
}

// Formatter writes one value after another and stops when the text gets too long.
class Formatter {
 public:
  explicit Formatter(Evaluation& evaluation) : evaluation_(evaluation) {}

  Result<std::string> Format(const FormatClause& clause, const Value& value) {
    switch (clause.verb) {
      case 's':
        return Text(value);
      case 'd':
        return Decimal(value);
      case 'f':
        return Fixed(clause.precision.value_or(kDefaultPrecision), value);
      case 'e':
        return Scientific(clause.precision.value_or(kDefaultPrecision), value);
      case 'b':
        return Binary(value);
      case 'o':
        return Octal(value);
      default:
        return Hex(value, clause.verb == 'X');
    }
  }

 private:
  Result<std::string> Text(const Value& value) {
    switch (value.kind()) {
      case Kind::kList:
        return ListText(value);
      case Kind::kMap:
        return MapText(value);
      case Kind::kTimestamp:
        return FormatTimestamp(value.timestamp());
      case Kind::kDuration:
        return FormatDuration(value.nanos());
      case Kind::kBytes:
        if (!IsValidUtf8(value.text())) return Fail("error during formatting: invalid UTF-8");
        [[fallthrough]];
      case Kind::kString:
        if (!evaluation_.Reserve(value.text().size())) return Fail("too long");
        [[fallthrough]];
      case Kind::kNull:
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kUint:
      case Kind::kDouble:
      case Kind::kType:
        return DescribeValue(value);
      default:
        return WrongType(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
            "types, durations, and timestamps",
            value);
    }
  }

  // What a value looks like inside a list or map: as a literal of CEL.
  Result<std::string> Literal(const Value& value) {
    if (!evaluation_.Spend(1)) return Fail("too many steps");
    auto text = Text(value);
    if (!text) return text;
    switch (value.kind()) {
      case Kind::kString:
        return GoQuote(*text);
      case Kind::kBytes:
        return 'b' + GoQuote(*text);
      case Kind::kTimestamp:
        return "timestamp(" + GoQuote(*text) + ')';
      case Kind::kDuration:
        return "duration(" + GoQuote(*text) + ')';
      case Kind::kDouble:
        if (!std::isfinite(value.floating())) return GoQuote(*text);
        return fmt::format("{:.6f}", value.floating());
      default:
        return text;
    }
  }

  Result<std::string> ListText(const Value& list) {
    std::string text = "[";
    for (const Value& item : list.items()) {
      const auto literal = Literal(item);
      if (!literal) return literal;
      if (text.size() > 1) text += ", ";
      text += *literal;
      if (!evaluation_.Reserve(text.size())) return Fail("too long");
    }
    return text + ']';
  }

  Result<std::string> MapText(const Value& map) {
    std::vector<std::pair<std::string, std::string>> entries;
    size_t size = 0;
    for (const MapEntry& entry : Entries(map)) {
      const auto key = Literal(entry.key);
      if (!key) return key;
      const auto value = Literal(entry.value);
      if (!value) return value;
      entries.emplace_back(*key, *value);
      size += key->size() + value->size();
      if (!evaluation_.Reserve(size)) return Fail("too long");
    }
    std::ranges::stable_sort(entries, {}, &std::pair<std::string, std::string>::first);
    std::string text = "{";
    for (const auto& [key, value] : entries) {
      if (text.size() > 1) text += ", ";
      text.append(key).append(1, ':').append(value);
    }
    return text + '}';
  }

  static Result<std::string> Decimal(const Value& value) {
    if (!value.is(Kind::kInt) && !value.is(Kind::kUint)) {
      return WrongType("decimal clause can only be used on integers", value);
    }
    return DescribeValue(value);
  }

  // Doubles, and the strings that stand for those that are not finite.
  static bool ReadDouble(const Value& value, double& number) {
    if (value.is(Kind::kDouble)) {
      number = value.floating();
      return true;
    }
    if (!value.is(Kind::kString)) return false;
    const std::string_view text = value.text();
    if (text != "NaN" && text != "Infinity" && text != "-Infinity") return false;
    number = *ParseDouble(text);
    return true;
  }

  // As in American English: 1,234.50
  Result<std::string> Fixed(int precision, const Value& value) {
    double number = 0;
    if (!ReadDouble(value, number)) {
      return WrongType("fixed-point clause can only be used on doubles", value);
    }
    if (!std::isfinite(number)) return NotFinite(number);
    if (!evaluation_.Reserve(static_cast<uint64_t>(precision))) return Fail("too long");
    std::string text = fmt::format("{:.{}f}", number, precision);
    const size_t first = text.starts_with('-') ? 1 : 0;
    for (size_t i = std::min(text.find('.'), text.size()); i > first + 3;) {
      i -= 3;
      text.insert(i, 1, ',');
    }
    return text;
  }

  // The precision is only a width in the version of cel-go that Kubernetes uses: 1.052033 × 10⁰³
  static Result<std::string> Scientific(int width, const Value& value) {
    double number = 0;
    if (!ReadDouble(value, number)) {
      return WrongType("scientific clause can only be used on doubles", value);
    }
    if (!std::isfinite(number)) return NotFinite(number);
    static constexpr std::string_view kSuperscripts[] = {"⁰", "¹", "²", "³", "⁴",
                                                         "⁵", "⁶", "⁷", "⁸", "⁹"};
    const std::string plain = fmt::format("{:.{}e}", number, kDefaultPrecision);
    const size_t exponent = plain.find('e');
    std::string text = plain.substr(0, exponent) + "\u00A0×\u00A010";
    if (plain[exponent + 1] == '-') text += "⁻";
    for (const char digit : plain.substr(exponent + 2)) text += kSuperscripts[digit - '0'];
    const size_t length = CountCodePoints(text);
    constexpr int kMaxWidth = 1'000;
    const auto padded = static_cast<size_t>(std::min(width, kMaxWidth));
    return padded > length ? std::string(padded - length, ' ') + text : text;
  }

  static std::string NotFinite(double number) {
    if (std::isnan(number)) return "NaN";
    return number > 0 ? "∞" : "-∞";
  }

  static Result<std::string> Binary(const Value& value) {
    if (value.is(Kind::kBool)) return value.boolean() ? "1" : "0";
    if (value.is(Kind::kInt)) return fmt::format("{:b}", value.integer());
    if (value.is(Kind::kUint)) return fmt::format("{:b}", value.unsigned_integer());
    return WrongType("only integers and bools can be formatted as binary", value);
  }

  static Result<std::string> Octal(const Value& value) {
    if (value.is(Kind::kInt)) return fmt::format("{:o}", value.integer());
    if (value.is(Kind::kUint)) return fmt::format("{:o}", value.unsigned_integer());
    return WrongType("octal clause can only be used on integers", value);
  }

  Result<std::string> Hex(const Value& value, bool upper) {
    std::string text;
    switch (value.kind()) {
      case Kind::kInt:
        return upper ? fmt::format("{:X}", value.integer()) : fmt::format("{:x}", value.integer());
      case Kind::kUint:
        return upper ? fmt::format("{:X}", value.unsigned_integer())
                     : fmt::format("{:x}", value.unsigned_integer());
      case Kind::kString:
      case Kind::kBytes:
        if (!evaluation_.Reserve(2 * value.text().size())) return Fail("too long");
        for (const char c : value.text()) {
          text += upper ? fmt::format("{:02X}", static_cast<uint8_t>(c))
                        : fmt::format("{:02x}", static_cast<uint8_t>(c));
        }
        return text;
      default:
        return WrongType("only integers, byte buffers, and strings can be formatted as hex", value);
    }
  }

  Evaluation& evaluation_;
};

Value FormatCall(const Call& call) {
  Formatter formatter(call.evaluation);
  FormatReader reader(call[0].text());
  std::string text;
  for (size_t next = 0; !reader.done();) {
    if (const std::string_view literal = reader.TakeText(); !literal.empty()) {
      text += literal;
      continue;
    }
    if (next >= call[1].size()) return call.evaluation.FailWith("index {} out of range", next);
    const auto clause = reader.TakeClause();
    if (!clause) return call.evaluation.FailWith("{}", clause.error().message);
    const auto part = formatter.Format(*clause, call[1].items()[next++]);
    if (!part) return call.evaluation.FailWith("{}", part.error().message);
    text += *part;
    if (!call.evaluation.Reserve(text.size())) return call[0];
  }
  return call.evaluation.NewString(text);
}

}  // namespace

void AddFormatFunction(Environment& environment) {
  const Type* const anything = environment.types().List(&kDynType);
  environment.Define("format")
      .Member("string_format", {&kStringType, anything}, &kStringType, FormatCall, CostRule::kScan)
      .StopsAtError();
}

}  // namespace berth::cel
