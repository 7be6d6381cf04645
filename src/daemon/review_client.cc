#include "daemon/review_client.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"

namespace berth::daemon {
namespace {

constexpr int kTries = 5;
constexpr Duration kFirstDelay = Duration::Millis(500);
constexpr double kDelayFactor = 1.5;

bool IsWorthRetrying(const net::HttpResult<net::HttpResponse>& response) {
  if (response) return response->status == 429 || response->status >= 500;
  using enum net::HttpError::Kind;
  const auto kind = response.error().kind;
  return kind == kUnreachable || kind == kBroken || kind == kTimeout;
}

// Returns a message with the request, its status, and the message of the Status in the body if
// there is one.
std::string Describe(const client::RestRequest& request, const net::HttpResponse& response) {
  const auto status = api::ParseJson(response.body);
  const std::string_view message =
      status ? api::StringAt(api::AsObject(*status), "message") : std::string_view();
  return fmt::format("{} {}: the API server answered {}{}{}", request.method, request.path,
                     response.status, message.empty() ? "" : ": ", message);
}

struct Attempts : std::enable_shared_from_this<Attempts> {
  client::RestClient& client;
  net::Executor& executor;
  client::RestRequest request;
  std::function<void(Result<std::string>)> callback;
  int left = kTries;
  Duration delay = kFirstDelay;

  Attempts(client::RestClient& client_in, net::Executor& executor_in,
           client::RestRequest request_in, std::function<void(Result<std::string>)> callback_in)
      : client(client_in),
        executor(executor_in),
        request(std::move(request_in)),
        callback(std::move(callback_in)) {}

  void Try() {
    --left;
    client.Send(request, [self = shared_from_this()](net::HttpResult<net::HttpResponse> response) {
      self->Judge(response);
    });
  }

  void Judge(const net::HttpResult<net::HttpResponse>& response) {
    if (IsWorthRetrying(response) && left > 0) {
      const Duration pause = delay;
      delay = delay * kDelayFactor;
      executor.After(pause, [self = shared_from_this()] { self->Try(); });
      return;
    }
    if (!response) return callback(Fail(response.error().message));
    if (!response->ok()) return callback(Fail(Describe(request, *response)));
    callback(response->body);
  }
};

}  // namespace

void SendWithRetries(client::RestClient& client, net::Executor& executor,
                     client::RestRequest request,
                     std::function<void(Result<std::string>)> callback) {
  std::make_shared<Attempts>(client, executor, std::move(request), std::move(callback))->Try();
}

}  // namespace berth::daemon
