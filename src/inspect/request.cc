#include "inspect/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/writer.h"
#include "api/status_reason.h"
#include "base/text.h"

namespace berth::inspect {
namespace {

// Names have at most 253 characters, three bytes each if encoded; the API has three of them in one
// request.
constexpr size_t kMaxTarget = 4096;
constexpr size_t kMaxParameters = 32;
constexpr size_t kDefaultLimit = 500;

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// Removes and returns the text before the next `separator`, which is removed too.
std::string_view CutAt(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Response Failure(int code, std::string_view message) {
  const api::JsonObject status{
      {"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", api::JsonObject()},
      {"status", "Failure"}, {"message", message}, {"reason", api::ReasonForCode(code)},
      {"code", code}};
  return {code, api::ToJsonText(status)};
}

Response Expired() {
  return Failure(410, "the continue token has expired, because the list has changed: begin again");
}

Response Document(const api::JsonObject& document) { return {200, api::ToJsonText(document)}; }

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const auto high = i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? HexDigit(text[i + 2]) : std::nullopt;
      if (!high || !low) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  if (!api::IsUtf8(decoded)) return std::nullopt;
  return decoded;
}

Result<Request> Request::Parse(std::string_view target) {
  if (target.size() > kMaxTarget) return Fail("the request's URI is too long");
  std::string_view path = CutAt(target, '?');
  if (!path.starts_with(kRoot)) return Fail("the path does not begin with /berth/v1/");
  path.remove_prefix(kRoot.size());
  Request request;
  while (!path.empty()) {
    auto segment = PercentDecode(CutAt(path, '/'), false);
    if (!segment) return Fail("the path has a malformed escape or is not UTF-8");
    request.path.push_back(*std::move(segment));
  }
  while (!target.empty()) {
    std::string_view value = CutAt(target, '&');
    auto name = PercentDecode(CutAt(value, '='), true);
    auto decoded = PercentDecode(value, true);
    if (!name || !decoded) return Fail("the query has a malformed escape or is not UTF-8");
    if (request.query.size() >= kMaxParameters) return Fail("the query has too many parameters");
    request.query.emplace_back(*std::move(name), *std::move(decoded));
  }
  return request;
}

std::string_view Request::Get(std::string_view parameter) const {
  const auto found =
      std::ranges::find(query, parameter, &std::pair<std::string, std::string>::first);
  return found == query.end() ? std::string_view() : found->second;
}

Result<uint64_t> Request::Number(std::string_view parameter, uint64_t otherwise,
                                 uint64_t most) const {
  const std::string_view text = Get(parameter);
  if (text.empty()) return otherwise;
  const auto number = ParseNumber(text);
  if (!number || *number == 0) {
    return Fail(fmt::format("{}: \"{}\": not a positive number", parameter, Shorten(text)));
  }
  return std::min(*number, most);
}

std::string ContinueToken(uint64_t version, size_t position) {
  return fmt::format("{}.{}", version, position);
}

std::expected<Page, Response> ReadPage(const Request& request, size_t most, uint64_t version) {
  const auto limit = request.Number("limit", std::min(kDefaultLimit, most), most);
  if (!limit) return std::unexpected(Failure(400, limit.error().message));
  Page page{.first = 0, .limit = *limit};
  std::string_view token = request.Get("continue");
  if (token.empty()) return page;
  const auto of_version = ParseNumber(CutAt(token, '.'));
  const auto position = ParseNumber(token);
  if (!of_version || !position) {
    return std::unexpected(Failure(400, "continue: not a token of this API"));
  }
  if (*of_version != version) return std::unexpected(Expired());
  page.first = *position;
  return page;
}

}  // namespace berth::inspect
