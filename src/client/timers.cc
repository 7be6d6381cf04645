#include "client/timers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <utility>

namespace berth::client {

struct LoopTimers::Pending {
  std::map<TimerId, boost::asio::steady_timer> timers;
  TimerId last_id = 0;
};

LoopTimers::LoopTimers(net::EventLoop& loop) : loop_(loop), pending_(std::make_shared<Pending>()) {}

LoopTimers::~LoopTimers() = default;

Instant LoopTimers::Now() const {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

void LoopTimers::Post(Work work) { boost::asio::post(loop_.context(), std::move(work)); }

bool LoopTimers::stopped() const { return loop_.context().stopped(); }

Timers::TimerId LoopTimers::After(Duration delay, Work work) {
  const TimerId id = ++pending_->last_id;
  auto& timer = pending_->timers.try_emplace(id, loop_.context()).first->second;
  timer.expires_after(std::chrono::nanoseconds(delay.nanos));
  timer.async_wait([weak = std::weak_ptr(pending_), id, work = std::move(work)](const auto&) {
    const auto pending = weak.lock();
    // A timer that is cancelled after it has expired comes here, too: the map knows.
    if (pending == nullptr || pending->timers.erase(id) == 0) return;
    work();
  });
  return id;
}

void LoopTimers::Cancel(TimerId id) { pending_->timers.erase(id); }

}  // namespace berth::client
