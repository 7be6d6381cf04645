// LoopTimers are the timers of an event loop.
#pragma once

#include <memory>

#include "client/timers.h"
#include "net/event_loop.h"

namespace berth::client {

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

}  // namespace berth::client
