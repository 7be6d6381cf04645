// WakeSignal lets a thread sleep until somebody calls it, a time has passed or it is to stop.
//
// Shared by the sleeper and all who may wake it, so that a late call finds it alive.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/time.h"

namespace berth::driver {

class WakeSignal {
 public:
  void Wake() {
    {
      const std::lock_guard lock(mutex_);
      if (woken_) return;
      woken_ = true;
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

  // Sleeps until Wake, which may have come before, until Stop, or for up to `limit`, if given.
  void Wait(std::optional<Duration> limit) {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return stopped_ || woken_; };
    if (limit) {
      changed_.wait_for(lock, std::chrono::nanoseconds(limit->nanos), is_over);
    } else {
      changed_.wait(lock, is_over);
    }
    woken_ = false;
  }
  // The same for one who has been told to stop and has something to end.
  void WaitAfterStop(Duration limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::nanoseconds(limit.nanos), [this] { return woken_; });
    woken_ = false;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool stopped_ = false;
};

}  // namespace berth::driver
