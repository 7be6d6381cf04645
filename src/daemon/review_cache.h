// ReviewCache caches the results of reviews (TokenReview, SubjectAccessReview) for a time.
//
// May be used on any thread. Favourable and unfavourable results have separate bounds, and the one
// that expires first is evicted: nobody can displace a valid token with invalid ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/time.h"
#include "net/executor.h"

namespace berth::daemon {

template <typename Value>
class ReviewCache {
 public:
  static constexpr size_t kCapacity = 1024;

  // `executor` must outlive the cache; its clock is not set back.
  explicit ReviewCache(const net::Executor& executor, size_t capacity = kCapacity)
      : executor_(executor), capacity_(capacity) {}

  std::optional<Value> Find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    for (const auto* results : {&good_, &bad_}) {
      const auto found = results->find(key);
      if (found != results->end() && found->second.until > executor_.Now()) {
        return found->second.value;
      }
    }
    return std::nullopt;
  }

  // Reports whether there was a favourable result, which may have expired.
  bool HadGood(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return good_.contains(key);
  }

  void Store(const std::string& key, const Value& value, bool good, Duration ttl) {
    const std::lock_guard lock(mutex_);
    (good ? bad_ : good_).erase(key);
    if (ttl <= Duration{}) return;
    auto& results = good ? good_ : bad_;
    if (results.size() >= capacity_ && !results.contains(key)) {
      results.erase(std::ranges::min_element(results, {},
                                             [](const auto& entry) { return entry.second.until; }));
    }
    results.insert_or_assign(key, Known{value, executor_.Now() + ttl});
  }

 private:
  struct Known {
    Value value;
    Instant until;
  };

  const net::Executor& executor_;
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::map<std::string, Known> good_;
  std::map<std::string, Known> bad_;
};

}  // namespace berth::daemon
