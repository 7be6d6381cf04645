#include "client/api_status.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/protobuf/to_json.h"
#include "api/status_reason.h"
#include "base/text.h"

namespace berth::client {
namespace {

using api::Json;
using api::JsonObject;

constexpr size_t kShownBody = 200;
constexpr size_t kShownMessage = 2000;

Json ParseStatus(const net::HttpResponse& response) {
  if (response.content_type().starts_with(api::protobuf::kContentType)) {
    auto decoded = api::protobuf::DecodeToJson(response.body);
    return decoded ? *std::move(decoded) : Json();
  }
  return api::ParseJson(response.body).value_or(Json());
}

// Returns "too many requests" for "TooManyRequests".
std::string Words(std::string_view reason) {
  std::string words;
  for (const char c : reason) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !words.empty()) words += ' ';
    words += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

// Strips the prefix of messages like `pods is forbidden: User ...`, which repeats the reason.
std::string_view WithoutReason(std::string_view message, std::string_view reason) {
  if (reason != "Forbidden") return message;
  constexpr std::string_view kKnown = " is forbidden: ";
  const size_t at = message.find(kKnown);
  return at == std::string_view::npos ? message : message.substr(at + kKnown.size());
}

}  // namespace

ApiStatus ReadStatus(const net::HttpResponse& response) {
  ApiStatus status;
  status.code = response.status;
  const Json parsed = ParseStatus(response);
  const JsonObject* object = api::AsObject(parsed);
  if (api::StringAt(object, "kind") == "Status") {
    status.reason = api::StringAt(object, "reason");
    status.message = api::StringAt(object, "message");
    const JsonObject* details = api::ObjectAt(object, "details");
    const auto seconds = api::IntAt(details, "retryAfterSeconds");
    if (seconds && *seconds > 0 && *seconds <= std::numeric_limits<int>::max()) {
      status.retry_after_seconds = static_cast<int>(*seconds);
    }
  } else {
    status.message = Shorten(response.body, kShownBody);
  }
  if (status.reason.empty()) status.reason = api::ReasonForCode(response.status);
  return status;
}

std::string Describe(std::string_view method, std::string_view path,
                     const net::HttpResponse& response) {
  const ApiStatus status = ReadStatus(response);
  const std::string reason =
      status.reason.empty() ? fmt::format("status {}", status.code) : Words(status.reason);
  std::string text = fmt::format("{} {}: {}", method, path.substr(0, path.find('?')), reason);
  const std::string_view message = WithoutReason(status.message, status.reason);
  if (!message.empty()) text += ": " + Shorten(message, kShownMessage);
  return text;
}

std::string Describe(const RestRequest& request, const net::HttpResult<net::HttpResponse>& result) {
  return result ? Describe(request, *result) : result.error().message;
}

}  // namespace berth::client
