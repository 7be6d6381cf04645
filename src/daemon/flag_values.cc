#include "daemon/flag_values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "api/quantity.h"
#include "base/text.h"

namespace berth::daemon {
namespace {

std::unexpected<Error> NumberProblem(std::string_view function, std::string_view text,
                                     std::string_view problem) {
  return Fail(fmt::format("strconv.{}: parsing {}: {}", function, GoQuote(text), problem));
}

constexpr std::string_view kSyntax = "invalid syntax";
constexpr std::string_view kRange = "value out of range";

// Returns the base of a number, and removes its prefix.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = static_cast<char>(digits[1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<bool> ParseBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return NumberProblem("ParseBool", text, kSyntax);
}

Result<int64_t> ParseInt(std::string_view text, int bits) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const int base = TakeBase(digits);
  uint64_t size = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (digits.empty() || end != digits.data() + digits.size()) {
    return NumberProblem("ParseInt", text, kSyntax);
  }
  const uint64_t limit = (uint64_t{1} << (bits - 1)) - (negative ? 0 : 1);
  if (error == std::errc::result_out_of_range || size > limit) {
    return NumberProblem("ParseInt", text, kRange);
  }
  if (error != std::errc{}) return NumberProblem("ParseInt", text, kSyntax);
  return static_cast<int64_t>(negative ? 0 - size : size);
}

Result<int32_t> ParseLevel(std::string_view text) {
  uint64_t level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error == std::errc::result_out_of_range ||
      (error == std::errc{} && level > std::numeric_limits<int32_t>::max())) {
    return NumberProblem("ParseUint", text, kRange);
  }
  if (error != std::errc{} || end != text.data() + text.size()) {
    return NumberProblem("ParseUint", text, kSyntax);
  }
  return static_cast<int32_t>(level);
}

Result<float> ParseFloat(std::string_view text) {
  float number = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range) return NumberProblem("ParseFloat", text, kRange);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return NumberProblem("ParseFloat", text, kSyntax);
  }
  return number;
}

Result<std::string> ParseIp(std::string_view text) {
  const std::string address(text);
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
      inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) {
    return address;
  }
  return Fail("failed to parse IP: " + GoQuote(text));
}

Result<std::vector<std::string>> ParseList(std::string_view text) {
  std::vector<std::string> list;
  if (text.empty()) return list;
  list.emplace_back();
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      list.back() += '"';
      ++i;
    } else if (text[i] == '"') {
      const bool may_open = list.back().empty();
      if (!quoted && !may_open) {
        return Fail(
            fmt::format("parse error on line 1, column {}: bare \" in non-quoted field", i + 1));
      }
      quoted = !quoted;
    } else if (text[i] == ',' && !quoted) {
      list.emplace_back();
    } else {
      list.back() += text[i];
    }
  }
  if (quoted) {
    return Fail(
        fmt::format("parse error on line 1, column {}: extraneous or missing \" in quoted-field",
                    text.size() + 1));
  }
  return list;
}

std::string ShowList(const std::vector<std::string>& list) {
  std::string text = "[";
  for (const std::string& item : list) {
    if (text.size() > 1) text += ',';
    text += item.find_first_of(",\"") == item.npos ? item : GoQuote(std::string_view(item));
  }
  return text + "]";
}

Result<std::vector<observability::VModule>> ParseVModule(std::string_view text) {
  std::vector<observability::VModule> modules;
  for (const std::string_view entry : Split(text, ',')) {
    if (entry.empty()) continue;
    const auto parts = Split(entry, '=');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
      return Fail(GoQuote(entry) + " does not have the pattern=N format");
    }
    const auto level = ParseLevel(parts[1]);
    if (!level) {
      return Fail(
          fmt::format("parsing verbosity in {}: {}", GoQuote(entry), level.error().message));
    }
    modules.push_back({std::string(parts[0]), *level});
  }
  return modules;
}

std::string ShowVModule(const std::vector<observability::VModule>& modules) {
  std::string text;
  for (const observability::VModule& module : modules) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}={}", module.pattern, module.level);
  }
  return text;
}

Result<size_t> ParseBytes(std::string_view text) {
  const auto quantity = api::Quantity::Parse(text);
  if (!quantity) return std::unexpected(quantity.error());
  if (quantity->Sign() < 0) return Fail("must not be negative");
  return static_cast<size_t>(quantity->Value());
}

std::string ShowFloat(float number) { return fmt::format("{}", number); }

Status AddMetricLabels(std::string_view text, MetricLabels& labels) {
  // Without quotes, a value may contain commas only if there is a single entry.
  std::vector<std::string> entries;
  if (std::ranges::count(text, '=') > 1) {
    auto list = ParseList(text);
    if (!list) return std::unexpected(list.error());
    // The comma between metric and label has also split the key.
    for (std::string& item : *list) {
      const bool continues = !entries.empty() && !entries.back().contains('=');
      if (continues) {
        entries.back() += "," + item;
      } else {
        entries.push_back(std::move(item));
      }
    }
  } else if (!text.empty()) {
    std::string entry(text);
    std::erase(entry, '"');
    entries.push_back(std::move(entry));
  }
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals == entry.npos) return Fail(entry + " must be formatted as key=value");
    labels[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return {};
}

std::string ShowMetricLabels(const MetricLabels& labels) {
  std::string text = "[";
  for (const auto& [key, value] : labels) {
    if (text.size() > 1) text += ',';
    text += fmt::format("\"{}={}\"", key, value);
  }
  return text + "]";
}

}  // namespace berth::daemon
