// ApiRequests is what the HTTPS port needs of the API server: answers to single requests.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/rest_client.h"
#include "net/event_loop.h"

namespace berth::daemon {

class ApiRequests {
 public:
  virtual ~ApiRequests() = default;
  // As RestClient::Send.
  virtual void Send(client::RestRequest request, client::RestClient::Callback callback) = 0;
};

// Calls a function after a while, on any thread.
using Timer = std::function<void(Duration delay, std::function<void()> call)>;

// Sends `request` up to five times, half a second and then ever more apart, until the API server
// answers with something else than that it cannot now. Calls back with the answer's body, or with
// an error that says what the server said. `api` must outlive it.
void SendWithRetries(ApiRequests& api, const Timer& later, client::RestRequest request,
                     std::function<void(Result<std::string>)> callback);

// RestApiRequests is the API server as a RestClient reaches it.
class RestApiRequests final : public ApiRequests {
 public:
  // `client` must outlive it.
  explicit RestApiRequests(client::RestClient& client) : client_(client) {}
  void Send(client::RestRequest request, client::RestClient::Callback callback) override;

 private:
  client::RestClient& client_;
};

// Calls after a while, on an event loop.
// `loop` must outlive what is made of it. Calls that are due after the loop has stopped are
// dropped.
Timer TimerOn(net::EventLoop& loop);

// ReviewCache remembers answers for a while, and asks once where many want the same answer.
//
// Any thread. It holds a bounded number of answers: the one that would be forgotten first makes
// room.
template <typename Answer>
class ReviewCache {
 public:
  using Callback = std::function<void(Result<Answer>)>;

  // `clock` must outlive the cache.
  explicit ReviewCache(const Clock& clock, size_t capacity = 4096)
      : clock_(clock), capacity_(capacity) {}

  // Calls back from within if the answer is known, else when Finish is called. True if the caller
  // is the one to ask: nobody has before.
  bool Want(const std::string& key, Callback callback) {
    std::unique_lock lock(mutex_);
    if (const auto found = known_.find(key);
        found != known_.end() && found->second.until > clock_.Now()) {
      const Answer answer = found->second.answer;
      lock.unlock();
      callback(answer);
      return false;
    }
    std::vector<Callback>& others = waiting_[key];
    others.push_back(std::move(callback));
    return others.size() == 1;
  }

  // Tells those who wait. An answer is remembered for `ttl`; an error is not.
  void Finish(const std::string& key, const Result<Answer>& answer, Duration ttl) {
    std::vector<Callback> told;
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = waiting_.find(key); found != waiting_.end()) {
        told = std::move(found->second);
        waiting_.erase(found);
      }
      if (answer && ttl > Duration{}) Remember(key, *answer, clock_.Now() + ttl);
    }
    for (const Callback& callback : told) callback(answer);
  }

 private:
  struct Known {
    Answer answer;
    Instant until;
  };

  void Remember(const std::string& key, const Answer& answer, Instant until) {
    if (known_.size() >= capacity_ && !known_.contains(key)) {
      known_.erase(std::ranges::min_element(known_, {},
                                            [](const auto& entry) { return entry.second.until; }));
    }
    known_.insert_or_assign(key, Known{answer, until});
  }

  const Clock& clock_;
  const size_t capacity_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::vector<Callback>> waiting_;
};

}  // namespace berth::daemon
