#include "daemon/api_requests.h"

#include <fmt/format.h>

#include <utility>

#include "config/json_value.h"

namespace berth::daemon {
namespace {

constexpr int kTries = 5;
constexpr Duration kFirstDelay = Duration::Millis(500);
constexpr double kDelayFactor = 1.5;

bool IsWorthRetrying(const client::RestResult<client::RestAnswer>& answer) {
  if (answer) return answer->status == 429 || answer->status >= 500;
  using enum client::RestError::Kind;
  const auto kind = answer.error().kind;
  return kind == kUnreachable || kind == kBroken || kind == kTimeout;
}

// What the Status in an answer says, or that there is none.
std::string Describe(const client::RestRequest& request, const client::RestAnswer& answer) {
  const auto status = config::ParseJson(answer.body);
  const config::JsonValue* message = status ? status->Find("message") : nullptr;
  return fmt::format("{} {}: the API server answered {}{}{}", request.method, request.path,
                     answer.status, message == nullptr ? "" : ": ",
                     message == nullptr ? "" : message->text);
}

struct Attempts : std::enable_shared_from_this<Attempts> {
  ApiRequests& api;
  Later later;
  client::RestRequest request;
  std::function<void(Result<std::string>)> callback;
  int left = kTries;
  Duration delay = kFirstDelay;

  Attempts(ApiRequests& api_in, Later later_in, client::RestRequest request_in,
           std::function<void(Result<std::string>)> callback_in)
      : api(api_in),
        later(std::move(later_in)),
        request(std::move(request_in)),
        callback(std::move(callback_in)) {}

  void Try() {
    --left;
    api.Send(request, [self = shared_from_this()](client::RestResult<client::RestAnswer> answer) {
      self->Judge(answer);
    });
  }

  void Judge(const client::RestResult<client::RestAnswer>& answer) {
    if (IsWorthRetrying(answer) && left > 0) {
      const Duration pause = delay;
      delay = {static_cast<int64_t>(static_cast<double>(delay.nanos) * kDelayFactor)};
      return later(pause, [self = shared_from_this()] { self->Try(); });
    }
    if (!answer) return callback(Fail(answer.error().message));
    if (!answer->ok()) return callback(Fail(Describe(request, *answer)));
    callback(answer->body);
  }
};

}  // namespace

void SendPatiently(ApiRequests& api, const Later& later, client::RestRequest request,
                   std::function<void(Result<std::string>)> callback) {
  std::make_shared<Attempts>(api, later, std::move(request), std::move(callback))->Try();
}

}  // namespace berth::daemon
