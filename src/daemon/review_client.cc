#include "daemon/review_client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"

namespace berth::daemon {
namespace {

constexpr int kTries = 5;
constexpr Duration kFirstDelay = Duration::Millis(500);
constexpr double kDelayFactor = 1.5;

bool IsWorthRetrying(const client::RestResult<client::RestResponse>& answer) {
  if (answer) return answer->status == 429 || answer->status >= 500;
  using enum client::RestError::Kind;
  const auto kind = answer.error().kind;
  return kind == kUnreachable || kind == kBroken || kind == kTimeout;
}

// What the Status in an answer says, or that there is none.
std::string Describe(const client::RestRequest& request, const client::RestResponse& answer) {
  const auto status = api::ParseJson(answer.body);
  const std::string_view message =
      status ? api::StringAt(api::AsObject(*status), "message") : std::string_view();
  return fmt::format("{} {}: the API server answered {}{}{}", request.method, request.path,
                     answer.status, message.empty() ? "" : ": ", message);
}

struct Attempts : std::enable_shared_from_this<Attempts> {
  ApiRequests& api;
  Timer later;
  client::RestRequest request;
  std::function<void(Result<std::string>)> callback;
  int left = kTries;
  Duration delay = kFirstDelay;

  Attempts(ApiRequests& api_in, Timer later_in, client::RestRequest request_in,
           std::function<void(Result<std::string>)> callback_in)
      : api(api_in),
        later(std::move(later_in)),
        request(std::move(request_in)),
        callback(std::move(callback_in)) {}

  void Try() {
    --left;
    api.Send(request, [self = shared_from_this()](client::RestResult<client::RestResponse> answer) {
      self->Judge(answer);
    });
  }

  void Judge(const client::RestResult<client::RestResponse>& answer) {
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

void SendWithRetries(ApiRequests& api, const Timer& later, client::RestRequest request,
                     std::function<void(Result<std::string>)> callback) {
  std::make_shared<Attempts>(api, later, std::move(request), std::move(callback))->Try();
}

void RestApiRequests::Send(client::RestRequest request, client::RestClient::Callback callback) {
  client_.Send(std::move(request), std::move(callback));
}

Timer TimerOn(net::EventLoop& loop) {
  return [&loop](Duration delay, std::function<void()> call) {
    auto timer = std::make_shared<boost::asio::steady_timer>(loop.context());
    timer->expires_after(std::chrono::nanoseconds(delay.nanos));
    timer->async_wait([timer, call = std::move(call)](const boost::system::error_code& error) {
      if (!error) call();
    });
  };
}

}  // namespace berth::daemon
