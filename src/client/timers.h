// Timers call back later, on the thread of an event loop, and tell the time.
#pragma once

#include <functional>

#include "base/time.h"
#include "net/event_loop.h"

namespace berth::client {

class Timers {
 public:
  virtual ~Timers() = default;
  virtual Instant Now() const = 0;
  // Calls `what` once, `delay` from now and never from within. There is no way to call it off: what
  // has become pointless by then must say so itself (Lifeline).
  virtual void After(Duration delay, std::function<void()> what) = 0;
};

// On `loop`, which must outlive it. After may be called on any thread.
class LoopTimers final : public Timers {
 public:
  explicit LoopTimers(net::EventLoop& loop) : loop_(loop) {}

  Instant Now() const override { return clock_.Now(); }
  void After(Duration delay, std::function<void()> what) override;

 private:
  net::EventLoop& loop_;
  SystemClock clock_;
};

}  // namespace berth::client
