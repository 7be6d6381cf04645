// Timers lets things happen later, on one thread: the loop's (loop_timers.h), or a test's, which
// moves time by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/time.h"
#include "net/event_loop.h"

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

// LoopTimers are the timers of an event loop.
class LoopTimers final : public Timers {
 public:
  // `loop` must outlive the timers. Work that is due after they are gone is dropped.
  explicit LoopTimers(net::EventLoop& loop);
  ~LoopTimers() override;

  Instant Now() const override;
  void Post(Work work) override;
  bool stopped() const override;
  TimerId After(Duration delay, Work work) override;
  void Cancel(TimerId id) override;

 private:
  struct Pending;

  net::EventLoop& loop_;
  std::shared_ptr<Pending> pending_;
};

// CallbackGuard lets callbacks find out that the object they are for has gone: those that it guards
// do nothing then. A member of that object; callbacks and object live on one thread.
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

}  // namespace berth::client
