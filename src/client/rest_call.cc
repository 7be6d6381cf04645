#include "client/rest_call.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace berth::client {

namespace {

// Longer waits would not fit a Duration.
constexpr double kMaxWaitSeconds = 1e6;

}  // namespace

TokenBucket::TokenBucket(double qps, int burst, Instant now)
    : qps_(qps), burst_(burst), tokens_(burst), last_(now) {
  CHECK(qps > 0 && burst > 0);
}

Duration TokenBucket::Take(Instant now) {
  const double elapsed = std::max(0.0, (now - last_).seconds());
  tokens_ = std::min(burst_, tokens_ + elapsed * qps_);
  last_ = std::max(last_, now);
  // A caller that waited for the returned time must not wait again because of a rounding error.
  constexpr double kNearlyOne = 1 - 1e-9;
  if (tokens_ >= kNearlyOne) {
    tokens_ -= 1;
    return {};
  }
  const double wait = std::min((1 - tokens_) / qps_, kMaxWaitSeconds);
  return {std::max<int64_t>(1, static_cast<int64_t>(std::ceil(wait * 1e9)))};
}

void RestCall::Finish(net::HttpResult<net::HttpResponse> result) {
  if (!stream) return callback(std::move(result));
  if (!result) return stream->on_end(std::unexpected(std::move(result).error()));
  stream->on_head(result->status, result->headers);
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

net::ClientRequest ToClientRequest(const RestRequest& request, const ClientConfig& config,
                                   const Credential& credential) {
  net::ClientRequest out{.method = request.method,
                         .url = config.server + request.path,
                         .headers = {{"User-Agent", config.user_agent}},
                         .body = request.body,
                         .timeout = request.timeout,
                         .silence_limit = request.silence_limit,
                         .may_send = request.may_send};
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
