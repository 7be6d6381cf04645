#include "api/json/yaml_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "api/json/json_text.h"
#include "base/text.h"

namespace berth::api {

namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

struct Word {
  std::string_view text;
  ScalarType type;
  std::string_view json;
};

constexpr Word kWords[] = {
    {"", ScalarType::kNull, "null"},        {"~", ScalarType::kNull, "null"},
    {"null", ScalarType::kNull, "null"},    {"Null", ScalarType::kNull, "null"},
    {"NULL", ScalarType::kNull, "null"},    {"y", ScalarType::kBool, "true"},
    {"Y", ScalarType::kBool, "true"},       {"yes", ScalarType::kBool, "true"},
    {"Yes", ScalarType::kBool, "true"},     {"YES", ScalarType::kBool, "true"},
    {"true", ScalarType::kBool, "true"},    {"True", ScalarType::kBool, "true"},
    {"TRUE", ScalarType::kBool, "true"},    {"on", ScalarType::kBool, "true"},
    {"On", ScalarType::kBool, "true"},      {"ON", ScalarType::kBool, "true"},
    {"n", ScalarType::kBool, "false"},      {"N", ScalarType::kBool, "false"},
    {"no", ScalarType::kBool, "false"},     {"No", ScalarType::kBool, "false"},
    {"NO", ScalarType::kBool, "false"},     {"false", ScalarType::kBool, "false"},
    {"False", ScalarType::kBool, "false"},  {"FALSE", ScalarType::kBool, "false"},
    {"off", ScalarType::kBool, "false"},    {"Off", ScalarType::kBool, "false"},
    {"OFF", ScalarType::kBool, "false"},    {".nan", ScalarType::kFloat, ".nan"},
    {".NaN", ScalarType::kFloat, ".nan"},   {".NAN", ScalarType::kFloat, ".nan"},
    {".inf", ScalarType::kFloat, ".inf"},   {".Inf", ScalarType::kFloat, ".inf"},
    {".INF", ScalarType::kFloat, ".inf"},   {"+.inf", ScalarType::kFloat, ".inf"},
    {"+.Inf", ScalarType::kFloat, ".inf"},  {"+.INF", ScalarType::kFloat, ".inf"},
    {"-.inf", ScalarType::kFloat, "-.inf"}, {"-.Inf", ScalarType::kFloat, "-.inf"},
    {"-.INF", ScalarType::kFloat, "-.inf"},
};
constexpr size_t kLongestWord = 5;

// Removes a leading sign from `text`; returns true if it was a minus.
bool TakeSign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

// Removes the base prefix from `digits` and returns the base: 0x, 0o, 0b, or 0 for octal.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits.front() != '0') return 10;
  const char mark = static_cast<char>(digits[1] | 0x20);
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

// Parses an integer of 64 bits, signed or unsigned; returns its JSON form.
std::optional<std::string> ParseInteger(std::string_view text) {
  const bool negative = TakeSign(text);
  const int base = TakeBase(text);
  if (text.starts_with('-')) return std::nullopt;
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (negative && magnitude > uint64_t{1} << 63) return std::nullopt;
  return (negative && magnitude != 0 ? "-" : "") + std::to_string(magnitude);
}

// Removes the leading digits from `text` and returns them.
std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, IsDigit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// Parses a decimal number such as "-1.50", ".5", "007." or "1e3"; returns its JSON form with the
// same digits.
std::optional<std::string> ParseDecimal(std::string_view text) {
  std::string json = TakeSign(text) ? "-" : "";
  std::string_view whole = TakeDigits(text);
  std::string_view fraction;
  const bool has_whole = !whole.empty();
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = TakeDigits(text);
  }
  if (!has_whole && fraction.empty()) return std::nullopt;
  json += has_whole ? whole : "0";
  if (!fraction.empty()) json.append(".").append(fraction);
  json += text;  // The exponent, if it is one.
  if (!IsJsonNumber(json) || std::isinf(std::strtod(json.c_str(), nullptr))) return std::nullopt;
  return json;
}

YamlScalar ResolveNumber(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  if (auto integer = ParseInteger(digits)) return {ScalarType::kInt, *std::move(integer)};
  if (auto decimal = ParseDecimal(digits)) return {ScalarType::kFloat, *std::move(decimal)};
  return {ScalarType::kString, std::string(text)};
}

// Formats a float key like go-yaml: the shortest digits of a 32-bit float, with an exponent from
// 1e+06 on.
std::string FloatKey(const std::string& text) {
  const auto number = static_cast<float>(std::strtod(text.c_str(), nullptr));
  if (std::isinf(number)) return number > 0 ? ".inf" : "-.inf";
  const double size = std::fabs(static_cast<double>(number));
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e6);
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return {digits, end.ptr};
}

std::string_view TypeName(ScalarType type) {
  switch (type) {
    case ScalarType::kString:
      return "str";
    case ScalarType::kNull:
      return "null";
    case ScalarType::kBool:
      return "bool";
    case ScalarType::kInt:
      return "int";
    case ScalarType::kFloat:
      return "float";
  }
  return "";
}

}  // namespace

YamlScalar ResolvePlain(std::string_view text) {
  if (text.size() <= kLongestWord) {
    const auto* word = std::ranges::find(kWords, text, &Word::text);
    if (word != std::end(kWords)) {
      return {word->type, std::string(word->json), word->type != ScalarType::kFloat};
    }
  }
  const char first = text.empty() ? '\0' : text.front();
  if (IsDigit(first) || first == '+' || first == '-') return ResolveNumber(text);
  if (first == '.') {
    if (auto decimal = ParseDecimal(text)) return {ScalarType::kFloat, *std::move(decimal)};
  }
  return {ScalarType::kString, std::string(text)};
}

Result<YamlScalar> ResolveTagged(std::string_view text, std::string_view tag) {
  YamlScalar as_string{ScalarType::kString, std::string(text)};
  if (!tag.starts_with(kTagPrefix)) return as_string;
  const std::string_view type = tag.substr(kTagPrefix.size());
  if (type == "str" || type == "timestamp") return as_string;
  if (type == "binary") return Fail("!!binary is not supported: write the base64 text as a string");
  YamlScalar scalar = ResolvePlain(text);
  if (type == TypeName(scalar.type)) return scalar;
  if (type == "float" && scalar.type == ScalarType::kInt) {
    scalar.type = ScalarType::kFloat;
    return scalar;
  }
  if (type != "null" && type != "bool" && type != "int" && type != "float") return as_string;
  return Fail(fmt::format("cannot read \"{}\" as !!{}", Shorten(text), type));
}

Result<std::string> KeyText(const YamlScalar& scalar) {
  if (scalar.type == ScalarType::kNull) return Fail("a key must not be null");
  if (scalar.type == ScalarType::kFloat && scalar.finite) return FloatKey(scalar.text);
  return scalar.text;
}

}  // namespace berth::api
