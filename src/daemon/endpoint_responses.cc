#include "daemon/endpoint_responses.h"

#include <fmt/format.h>

#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/status_reason.h"
#include "base/text.h"

namespace berth::daemon {
namespace {

using api::JsonObject;

constexpr const char* kPlain = "text/plain; charset=utf-8";

bool WantsPretty(const net::ServerRequest& request) {
  const size_t query = request.target.find('?');
  if (query != request.target.npos) {
    std::string_view rest = std::string_view(request.target).substr(query + 1);
    while (!rest.empty()) {
      const std::string_view parameter = rest.substr(0, rest.find('&'));
      if (parameter == "pretty" || parameter.starts_with("pretty=")) {
        return parameter != "pretty=0" && parameter != "pretty=false";
      }
      rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    }
  }
  const std::string_view agent = request.header("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

JsonObject Failure(int code, std::string_view message, bool has_details) {
  JsonObject status{{"kind", "Status"},         {"apiVersion", "v1"},
                    {"metadata", JsonObject()}, {"status", "Failure"},
                    {"message", message},       {"reason", api::ReasonForCode(code)}};
  if (has_details) status.emplace("details", JsonObject());
  status.emplace("code", code);
  return status;
}

// Escapes the characters of HTML, as kube-apiserver does in messages.
std::string Sanitized(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void ForbidSniffing(net::ServerResponse& response) {
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::string PathOf(const net::ServerRequest& request) {
  const std::string_view raw = std::string_view(request.target).substr(0, request.target.find('?'));
  std::string path;
  for (size_t i = 0; i < raw.size(); ++i) {
    const bool is_escape = raw[i] == '%' && i + 2 < raw.size() && HexDigit(raw[i + 1]) >= 0 &&
                           HexDigit(raw[i + 2]) >= 0;
    if (!is_escape) {
      path += raw[i];
      continue;
    }
    path += static_cast<char>(HexDigit(raw[i + 1]) * 16 + HexDigit(raw[i + 2]));
    i += 2;
  }
  return path;
}

net::ServerResponse PlainResponse(int status, std::string text) {
  return net::ServerResponse::Text(status, kPlain, std::move(text));
}

net::ServerResponse JsonResponse(const net::ServerRequest& request, int status,
                                 const api::Json& value) {
  return net::ServerResponse::Text(
      status, "application/json",
      WantsPretty(request) ? api::ToPrettyJson(value) : api::ToJsonText(value) + "\n");
}

net::ServerResponse UnauthorizedResponse(const net::ServerRequest& request) {
  return JsonResponse(request, 401, Failure(401, "Unauthorized", false));
}

net::ServerResponse ForbiddenResponse(const net::ServerRequest& request, const User& user,
                                      std::string_view verb, std::string_view reason) {
  const std::string sentence =
      Sanitized(fmt::format("User {} cannot {} path {}", GoQuote(std::string_view(user.name)), verb,
                            GoQuote(std::string_view(PathOf(request)))));
  const std::string message =
      fmt::format("forbidden: {}{}{}", sentence, reason.empty() ? "" : ": ", reason);
  net::ServerResponse response = JsonResponse(request, 403, Failure(403, message, true));
  ForbidSniffing(response);
  return response;
}

net::ServerResponse NotAcceptableResponse(const net::ServerRequest& request,
                                          std::string_view supported) {
  const std::string message =
      fmt::format("only the following media types are accepted: {}", supported);
  return JsonResponse(request, 406, Failure(406, message, false));
}

net::ServerResponse InternalErrorResponse(const net::ServerRequest& request,
                                          std::string_view error) {
  net::ServerResponse response =
      PlainResponse(500, Sanitized(fmt::format("Internal Server Error: {}: {}",
                                               GoQuote(std::string_view(request.target)), error)) +
                             "\n");
  ForbidSniffing(response);
  return response;
}

net::ServerResponse TooManyRequestsResponse() {
  net::ServerResponse response = PlainResponse(429, "Too many requests, please try again later.\n");
  response.headers.push_back({"Retry-After", "1"});
  ForbidSniffing(response);
  return response;
}

net::ServerResponse NotFoundResponse() {
  net::ServerResponse response = PlainResponse(404, "404 page not found\n");
  ForbidSniffing(response);
  return response;
}

}  // namespace berth::daemon
