// Timers lets things happen later, on one thread: the loop's (loop_timers.h), or a test's, which
// moves time by hand.
#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"

namespace berth::client {

class Timers {
 public:
  using TimerId = uint64_t;
  using Work = std::function<void()>;

  virtual ~Timers() = default;

  // A clock that only goes forward, from any thread. It says how much time has passed, not what
  // day it is.
  virtual Instant Now() const = 0;
  // Runs `work` soon, after what was posted before it, never from within. From any thread.
  virtual void Post(Work work) = 0;
  // Nothing will be run any more. From any thread.
  virtual bool stopped() const = 0;

  // On the thread that runs the work only. Ids are never 0.
  virtual TimerId After(Duration delay, Work work) = 0;
  // Does nothing if `id` has run, was cancelled or is 0.
  virtual void Cancel(TimerId id) = 0;
};

}  // namespace berth::client
