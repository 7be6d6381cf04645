#include "net/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "base/check.h"

namespace berth::net {

struct EventLoop::Parts {
  // Not a hint of one thread: Stop and posting come from others.
  boost::asio::io_context context;
  // Keeps the loop running while nothing is to be done.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work =
      boost::asio::make_work_guard(context);
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

boost::asio::io_context& EventLoop::context() { return parts_->context; }

}  // namespace berth::net
