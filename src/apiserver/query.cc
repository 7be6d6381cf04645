#include "apiserver/query.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "api/json_text.h"
#include "api/selector.h"

namespace berth::apiserver {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsFalse(std::string_view text) {
  if (text == "0") return true;
  constexpr std::string_view kFalse = "false";
  return text.size() == kFalse.size() &&
         std::ranges::equal(text, kFalse, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
      if (low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!IsUtf8(out)) return std::nullopt;
  return out;
}

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

ApiResult<Query> Query::Parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    auto name = PercentDecode(pair.substr(0, equals), true);
    auto value = PercentDecode(equals == pair.npos ? "" : pair.substr(equals + 1), true);
    if (!name || !value) {
      return std::unexpected(BadRequest(
          fmt::format("the query has a malformed percent escape: {}", api::Shorten(pair))));
    }
    query.Add(*std::move(name), *std::move(value));
  }
  return query;
}

std::optional<std::string_view> Query::Find(std::string_view name) const {
  for (const auto& [key, value] : pairs_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Query::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : pairs_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

bool Query::Bool(std::string_view name) const {
  const auto value = Find(name);
  return value && !IsFalse(*value);
}

ApiResult<std::optional<int64_t>> Query::Int(std::string_view name) const {
  const auto value = Find(name);
  if (!value || value->empty()) return std::nullopt;
  const auto number = api::ParseInt(*value);
  if (number) return number;
  return std::unexpected(
      BadRequest(fmt::format("{}: not a whole number: {}", name, api::Shorten(*value))));
}

void Query::Add(std::string name, std::string value) {
  pairs_.emplace_back(std::move(name), std::move(value));
}

}  // namespace berth::apiserver
