// ReviewCache and the sending of reviews (TokenReview, SubjectAccessReview) with retries, for
// requests to the HTTPS port.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/rest_client.h"
#include "net/executor.h"

namespace berth::daemon {

// Sends `request` up to five times, with growing pauses that start at half a second, until the API
// server responds with something other than a temporary failure. Calls back on the executor with
// the body of the response, or with an error that has the server's message. `client` calls back on
// `executor` and must outlive the callback.
void SendWithRetries(client::RestClient& client, net::Executor& executor,
                     client::RestRequest request,
                     std::function<void(Result<std::string>)> callback);

// ReviewCache caches the results of reviews for a time, and lets one request serve all concurrent
// callers that need the same result.
//
// May be used on any thread. It holds a bounded number of results: the one that expires first is
// evicted.
template <typename Value>
class ReviewCache {
 public:
  using Callback = std::function<void(Result<Value>)>;

  // `clock` must outlive the cache.
  explicit ReviewCache(const Clock& clock, size_t capacity = 4096)
      : clock_(clock), capacity_(capacity) {}

  // Calls back at once if the result is cached, else when Finish is called. Returns true if the
  // caller must send the request, because no other caller has.
  bool Want(const std::string& key, Callback callback) {
    std::unique_lock lock(mutex_);
    if (const auto found = known_.find(key);
        found != known_.end() && found->second.until > clock_.Now()) {
      const Value value = found->second.value;
      lock.unlock();
      callback(value);
      return false;
    }
    std::vector<Callback>& others = waiting_[key];
    others.push_back(std::move(callback));
    return others.size() == 1;
  }

  // Calls back the waiting callers. A value is cached for `ttl`; an error is not.
  void Finish(const std::string& key, const Result<Value>& value, Duration ttl) {
    std::vector<Callback> callbacks;
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = waiting_.find(key); found != waiting_.end()) {
        callbacks = std::move(found->second);
        waiting_.erase(found);
      }
      if (value && ttl > Duration{}) Store(key, *value, clock_.Now() + ttl);
    }
    for (const Callback& callback : callbacks) callback(value);
  }

 private:
  struct Known {
    Value value;
    Instant until;
  };

  void Store(const std::string& key, const Value& value, Instant until) {
    if (known_.size() >= capacity_ && !known_.contains(key)) {
      known_.erase(std::ranges::min_element(known_, {},
                                            [](const auto& entry) { return entry.second.until; }));
    }
    known_.insert_or_assign(key, Known{value, until});
  }

  const Clock& clock_;
  const size_t capacity_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::vector<Callback>> waiting_;
};

}  // namespace berth::daemon
