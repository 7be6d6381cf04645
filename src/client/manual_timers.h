// ManualTimers are timers whose time moves when a test says so.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "client/timers.h"

namespace berth::client {

class ManualTimers final : public Timers {
 public:
  Instant Now() const override { return now_; }
  bool stopped() const override { return false; }
  void Post(Work work) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  TimerId After(Duration delay, Work work) override {
    const TimerId id = ++last_id_;
    waiting_[{now_ + delay, id}] = std::move(work);
    return id;
  }
  void Cancel(TimerId id) override {
    std::erase_if(waiting_, [&](const auto& entry) { return entry.first.second == id; });
  }

  // Runs what is posted, and what that posts.
  void Run() {
    while (true) {
      Work work;
      {
        const std::lock_guard lock(mutex_);
        if (posted_.empty()) return;
        work = std::move(posted_.front());
        posted_.pop_front();
      }
      work();
    }
  }

  // Moves on, stopping at each instant at which something is to be done.
  void Advance(Duration by) {
    const Instant end = now_ + by;
    Run();
    while (!waiting_.empty() && waiting_.begin()->first.first <= end) {
      auto entry = waiting_.extract(waiting_.begin());
      if (entry.key().first > now_) now_ = entry.key().first;
      entry.mapped()();
      Run();
    }
    now_ = end;
  }

 private:
  Instant now_ = Instant::FromUnixSeconds(1000);
  TimerId last_id_ = 0;
  std::map<std::pair<Instant, TimerId>, Work> waiting_;
  std::mutex mutex_;
  std::deque<Work> posted_;
};

}  // namespace berth::client
