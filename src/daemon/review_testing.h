// A fake API server for tests of who may ask for what: it records what it is asked.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/review_client.h"

namespace berth::daemon {

class FakeApi final : public ApiRequests {
 public:
  void Send(client::RestRequest request, client::RestClient::Callback callback) override {
    requests.push_back(std::move(request));
    if (hold) {
      held.push_back(std::move(callback));
      return;
    }
    callback(Next());
  }

  // Answers for the next requests; the last one stays.
  void Answer(int status, std::string body) {
    answers.push_back(client::RestResponse{status, "application/json", std::move(body)});
  }
  void Break(client::RestError::Kind kind) {
    answers.push_back(std::unexpected(client::RestError{kind, "connection refused"}));
  }
  // Answers those who wait.
  void Release() {
    hold = false;
    for (const auto& callback : std::exchange(held, {})) callback(Next());
  }

  std::vector<client::RestRequest> requests;
  bool hold = false;

 private:
  client::RestResult<client::RestResponse> Next() {
    if (answers.empty()) return client::RestResponse{404, "", "{}"};
    auto answer = answers.front();
    if (answers.size() > 1) answers.pop_front();
    return answer;
  }

  std::deque<client::RestResult<client::RestResponse>> answers;
  std::vector<client::RestClient::Callback> held;
};

// Calls at once, and remembers the delays.
struct FakeTimer {
  std::vector<Duration> delays;
  Timer later() {
    return [this](Duration delay, const std::function<void()>& call) {
      delays.push_back(delay);
      call();
    };
  }
};

}  // namespace berth::daemon
