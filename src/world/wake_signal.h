// WakeSignal lets a thread sleep until somebody calls it, a time has passed or it is to stop.
//
// Shared by the sleeper and all who may wake it, so that a late call finds it alive.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/time.h"

namespace berth::world {

class WakeSignal {
 public:
  // `clock` must outlive the last call of Wake.
  explicit WakeSignal(const Clock& clock) : clock_(clock) {}

  void Wake() {
    {
      const std::lock_guard lock(mutex_);
      if (woken_at_) return;
      woken_at_ = clock_.Now();
    }
    changed_.notify_one();
  }
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
  }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  // Sleeps for up to `limit`, if given. Returns when the first call since the last Wait came, if
  // any did.
  std::optional<Instant> Wait(std::optional<Duration> limit) {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return stopped_ || woken_at_; };
    if (limit) {
      changed_.wait_for(lock, std::chrono::nanoseconds(limit->nanos), is_over);
    } else {
      changed_.wait(lock, is_over);
    }
    return std::exchange(woken_at_, std::nullopt);
  }

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Instant> woken_at_;
  bool stopped_ = false;
};

}  // namespace berth::world
