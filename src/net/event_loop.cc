#include "net/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/chrono.h"
#include "base/steady_clock.h"

namespace berth::net {

struct EventLoop::Parts {
  // No concurrency hint of 1: other threads post and stop.
  boost::asio::io_context context;
  // Prevents the loop from returning while it has no work.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work =
      boost::asio::make_work_guard(context);
  std::map<TimerId, boost::asio::steady_timer> timers;
  TimerId last_timer = 0;
};

EventLoop::EventLoop() : parts_(std::make_unique<Parts>()) {}

EventLoop::~EventLoop() {
  Stop();
  if (!thread_.joinable()) return;
  CHECK(thread_.get_id() != std::this_thread::get_id());
  thread_.join();
}

void EventLoop::Start() {
  CHECK(!thread_.joinable());
  thread_ = std::thread([this] { Run(); });
}

void EventLoop::Run() { parts_->context.run(); }

void EventLoop::Stop() { parts_->context.stop(); }

Instant EventLoop::Now() const { return SteadyClock().Now(); }

void EventLoop::Post(Work work) { boost::asio::post(parts_->context, std::move(work)); }

bool EventLoop::stopped() const { return parts_->context.stopped(); }

bool EventLoop::RunsHere() const { return parts_->context.get_executor().running_in_this_thread(); }

Executor::TimerId EventLoop::After(Duration delay, Work work) {
  const TimerId id = ++parts_->last_timer;
  auto& timer = parts_->timers.try_emplace(id, parts_->context).first->second;
  timer.expires_after(ToChrono(delay));
  timer.async_wait([parts = parts_.get(), id, work = std::move(work)](const auto&) {
    // A timer that is cancelled after it has expired also gets here, but is no longer in the map.
    if (parts->timers.erase(id) > 0) work();
  });
  return id;
}

void EventLoop::Cancel(TimerId id) { parts_->timers.erase(id); }

boost::asio::io_context& EventLoop::context() { return parts_->context; }

}  // namespace berth::net
