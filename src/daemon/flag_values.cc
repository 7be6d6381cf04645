#include "daemon/flag_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/quantity.h"
#include "base/text.h"
#include "flags/flag_values.h"

namespace berth::daemon {
namespace {

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

Result<std::vector<observability::VModule>> ParseVModule(std::string_view text) {
  std::vector<observability::VModule> modules;
  for (const std::string_view entry : Split(text, ',')) {
    if (entry.empty()) continue;
    const auto parts = Split(entry, '=');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
      return Fail(GoQuote(entry) + " does not have the pattern=N format");
    }
    const auto level = flags::ParseLevel(parts[1]);
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

Status AddMetricLabels(std::string_view text, MetricLabels& labels) {
  // Without quotes, a value may contain commas only if there is a single entry.
  std::vector<std::string> entries;
  if (std::ranges::count(text, '=') > 1) {
    auto list = flags::ParseList(text);
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
