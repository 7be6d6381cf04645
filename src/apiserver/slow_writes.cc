#include "apiserver/slow_writes.h"

#include <algorithm>
#include <utility>

namespace berth::apiserver {

bool SlowWrites::Add(std::string namespace_, Cancelled cancelled, std::function<void()> execute) {
  const std::lock_guard lock(mutex_);
  if (stop_ || waiting_.size() >= kMaxWaiting) return false;
  waiting_.push_back({std::move(namespace_), std::move(cancelled), std::move(execute)});
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_one();
  return true;
}

void SlowWrites::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (const Waiting& waiting : waiting_) *waiting.cancelled = true;
    if (running_ != nullptr) *running_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

SlowWrites::Waiting SlowWrites::TakeNext() {
  auto next = std::ranges::find_if(
      waiting_, [&](const Waiting& write) { return write.namespace_ != last_namespace_; });
  if (next == waiting_.end()) next = waiting_.begin();
  Waiting taken = std::move(*next);
  waiting_.erase(next);
  last_namespace_ = taken.namespace_;
  return taken;
}

void SlowWrites::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    // Writes that wait when the server stops get 503.
    if (waiting_.empty()) return;
    {
      const Waiting next = TakeNext();
      running_ = next.cancelled;
      lock.unlock();
      next.execute();
    }
    lock.lock();
    running_ = nullptr;
  }
}

}  // namespace berth::apiserver
