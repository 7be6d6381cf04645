#include "daemon/slow_requests.h"

#include <exception>
#include <utility>

#include "observability/log.h"
#include "observability/thread_stacks.h"

namespace berth::daemon {

SlowRequests::SlowRequests() : thread_([this] { Run(); }) {}

SlowRequests::~SlowRequests() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bool SlowRequests::Post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void SlowRequests::Run() {
  observability::EnterThread("slow-requests");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    // What it was to respond to is dropped then, which responds with 500.
    try {
      work();
    } catch (const std::exception& error) {
      LOG_ERROR(error.what(), "A request could not be answered");
    }
    lock.lock();
  }
}

}  // namespace berth::daemon
