#include "client/rest_call.h"

#include <charconv>
#include <utility>

namespace berth::client {

void RestCall::Finish(RestResult<RestAnswer> result) {
  if (!stream) return callback(std::move(result));
  if (!result) return stream->on_end(std::unexpected(std::move(result).error()));
  stream->on_head(result->status, result->content_type);
  if (!result->body.empty()) stream->on_data(result->body);
  stream->on_end({});
}

std::optional<Duration> RetryAfterOf(const net::HttpResponse& response) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServerErrors = 500;
  if (response.status != kTooManyRequests && response.status < kServerErrors) return std::nullopt;
  const std::string_view text = response.header("Retry-After");
  int32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool number = !text.empty() && error == std::errc() && end == text.data() + text.size();
  if (!number || seconds < 0) return std::nullopt;
  return Duration::Seconds(seconds);
}

RestError ToRestError(net::HttpError error) {
  const auto kind = [&] {
    switch (error.kind) {
      case net::HttpError::Kind::kUnreachable:
        return RestError::Kind::kUnreachable;
      case net::HttpError::Kind::kTls:
        return RestError::Kind::kTls;
      case net::HttpError::Kind::kTimeout:
        return RestError::Kind::kTimeout;
      case net::HttpError::Kind::kBroken:
        return RestError::Kind::kBroken;
      case net::HttpError::Kind::kCancelled:
        return RestError::Kind::kCancelled;
    }
    return RestError::Kind::kBroken;
  };
  return {kind(), std::move(error.message)};
}

RestAnswer ToRestAnswer(net::HttpResponse response) {
  return {.status = response.status,
          .content_type = std::string(response.header("Content-Type")),
          .body = std::move(response.body)};
}

net::ClientRequest ToClientRequest(const RestRequest& request, const ClientConfig& config,
                                   const Credential& credential) {
  net::ClientRequest out{.method = request.method,
                         .url = config.server + request.path,
                         .headers = {{"User-Agent", config.user_agent}},
                         .body = request.body,
                         .timeout = request.timeout};
  if (!request.accept.empty()) out.headers.push_back({"Accept", request.accept});
  if (!request.content_type.empty()) {
    out.headers.push_back({"Content-Type", request.content_type});
  }
  if (!credential.bearer_token.empty()) {
    out.headers.push_back({"Authorization", "Bearer " + credential.bearer_token});
  }
  out.headers.insert(out.headers.end(), config.headers.begin(), config.headers.end());
  return out;
}

}  // namespace berth::client
