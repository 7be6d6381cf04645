// Executor runs work on one thread, now or after a delay: EventLoop in production, ManualExecutor
// (executor_testing.h) in tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/time.h"

namespace berth::net {

class Executor {
 public:
  using TimerId = uint64_t;
  using Work = std::function<void()>;

  virtual ~Executor() = default;

  // --- from any thread ---

  // Returns the time of a SteadyClock.
  virtual Instant Now() const = 0;
  // Runs `work` after all work posted before it, and never before Post returns.
  virtual void Post(Work work) = 0;
  // Reports whether the executor runs no more work.
  virtual bool stopped() const = 0;
  // Reports whether the caller is on the executor's thread.
  virtual bool RunsHere() const = 0;
  // Runs `work` at once if RunsHere, and posts it otherwise.
  void Dispatch(Work work) { RunsHere() ? work() : Post(std::move(work)); }

  // --- on the executor's thread only ---

  // Runs `work` after `delay`. Returns an id that is never 0.
  virtual TimerId After(Duration delay, Work work) = 0;
  // Cancels a timer. Does nothing if it has fired, was cancelled or is 0.
  virtual void Cancel(TimerId id) = 0;
};

// Runs `work` on the executor and waits until it has run. The executor must be running.
void RunAndWait(Executor& executor, const std::function<void()>& work);

// CallbackGuard turns callbacks into no-ops once the object that owns the guard is destroyed. The
// object and its callbacks run on one thread.
class CallbackGuard {
 public:
  template <typename F>
  auto Guard(F callback) const {
    return [alive = std::weak_ptr<char>(alive_),
            callback = std::move(callback)](auto&&... arguments) mutable {
      if (!alive.expired()) callback(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace berth::net
