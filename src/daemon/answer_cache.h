// AnswerCache remembers answers for a while, and asks once where many want the same answer.
//
// Any thread. It holds a bounded number of answers: the one that would be forgotten first makes
// room.
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

namespace berth::daemon {

template <typename Answer>
class AnswerCache {
 public:
  using Callback = std::function<void(Result<Answer>)>;

  // `clock` must outlive the cache.
  explicit AnswerCache(const Clock& clock, size_t capacity = 4096)
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
