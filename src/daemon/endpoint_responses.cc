#include "daemon/endpoint_responses.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace berth::daemon {
namespace {

using api::JsonValue;

constexpr const char* kPlain = "text/plain; charset=utf-8";

void AppendPretty(const JsonValue& value, size_t depth, std::string& out) {
  const auto open_line = [&](size_t indent) { out += "\n" + std::string(2 * indent, ' '); };
  const bool is_object = value.kind == JsonValue::Kind::kObject;
  const bool is_list = value.kind == JsonValue::Kind::kArray;
  if ((!is_object || value.members.empty()) && (!is_list || value.items.empty())) {
    out += api::ToJsonText(value);
    return;
  }
  out += is_object ? '{' : '[';
  bool is_first = true;
  const auto next = [&] {
    if (!std::exchange(is_first, false)) out += ',';
    open_line(depth + 1);
  };
  for (const auto& [name, member] : value.members) {
    next();
    out += api::ToJsonText(JsonValue::String(name)) + ": ";
    AppendPretty(member, depth + 1, out);
  }
  for (const JsonValue& item : value.items) {
    next();
    AppendPretty(item, depth + 1, out);
  }
  open_line(depth);
  out += is_object ? '}' : ']';
}

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

JsonValue Failure(int code, std::string_view reason, std::string_view message, bool has_details) {
  JsonValue status = JsonValue::Object();
  status.Add("kind", JsonValue::String("Status"));
  status.Add("apiVersion", JsonValue::String("v1"));
  status.Add("metadata", JsonValue::Object());
  status.Add("status", JsonValue::String("Failure"));
  status.Add("message", JsonValue::String(message));
  status.Add("reason", JsonValue::String(reason));
  if (has_details) status.Add("details", JsonValue::Object());
  status.Add("code", JsonValue::Number(int64_t{code}));
  return status;
}

// Nothing that is told back may look like HTML.
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

void ForbidSniffing(net::ServerResponse& answer) {
  answer.headers.push_back({"X-Content-Type-Options", "nosniff"});
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
                                 const JsonValue& value) {
  std::string text;
  if (WantsPretty(request)) {
    AppendPretty(value, 0, text);
  } else {
    text = api::ToJsonText(value) + "\n";
  }
  return net::ServerResponse::Text(status, "application/json", std::move(text));
}

net::ServerResponse UnauthorizedResponse(const net::ServerRequest& request) {
  return JsonResponse(request, 401, Failure(401, "Unauthorized", "Unauthorized", false));
}

net::ServerResponse ForbiddenResponse(const net::ServerRequest& request, const User& user,
                                      std::string_view verb, std::string_view reason) {
  const std::string sentence =
      Sanitized(fmt::format("User {} cannot {} path {}", GoQuote(std::string_view(user.name)), verb,
                            GoQuote(std::string_view(PathOf(request)))));
  const std::string message =
      fmt::format("forbidden: {}{}{}", sentence, reason.empty() ? "" : ": ", reason);
  net::ServerResponse answer = JsonResponse(request, 403, Failure(403, "Forbidden", message, true));
  ForbidSniffing(answer);
  return answer;
}

net::ServerResponse NotAcceptableResponse(const net::ServerRequest& request,
                                          std::string_view supported) {
  const std::string message =
      fmt::format("only the following media types are accepted: {}", supported);
  return JsonResponse(request, 406, Failure(406, "NotAcceptable", message, false));
}

net::ServerResponse InternalErrorResponse(const net::ServerRequest& request,
                                          std::string_view error) {
  net::ServerResponse answer =
      PlainResponse(500, Sanitized(fmt::format("Internal Server Error: {}: {}",
                                               GoQuote(std::string_view(request.target)), error)) +
                             "\n");
  ForbidSniffing(answer);
  return answer;
}

net::ServerResponse NotFoundResponse() {
  net::ServerResponse answer = PlainResponse(404, "404 page not found\n");
  ForbidSniffing(answer);
  return answer;
}

}  // namespace berth::daemon
