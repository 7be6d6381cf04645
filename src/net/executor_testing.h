// ManualExecutor is an executor for tests: work runs, and time advances, only when the test calls
// Run or Advance.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/time.h"
#include "net/executor.h"

namespace berth::net {

// Its thread is the one that constructs it. Other threads may post.
class ManualExecutor final : public Executor {
 public:
  // Starts at 2026-01-01T00:00:00Z by default.
  explicit ManualExecutor(Instant start = Instant::FromUnixSeconds(1'767'225'600))
      : clock_(start) {}

  Instant Now() const override { return clock_.Now(); }
  bool stopped() const override { return false; }
  bool RunsHere() const override { return std::this_thread::get_id() == thread_; }
  void Post(Work work) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    ++posts_;
  }
  TimerId After(Duration delay, Work work) override {
    const TimerId id = ++last_id_;
    timers_[{Now() + delay, id}] = std::move(work);
    return id;
  }
  void Cancel(TimerId id) override {
    std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == id; });
  }

  // Runs all posted work, including work posted meanwhile.
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

  // Runs all posted work, then advances the clock, firing each timer at its instant.
  void Advance(Duration by) {
    const Instant end = Now() + by;
    Run();
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      auto entry = timers_.extract(timers_.begin());
      if (entry.key().first > Now()) clock_.Advance(entry.key().first - Now());
      entry.mapped()();
      Run();
    }
    clock_.Advance(end - Now());
  }

  // Time passes while the process is stopped: timers fire late, with the next Advance.
  void Freeze(Duration by) { clock_.Advance(by); }

  const Clock& clock() const { return clock_; }
  size_t timers() const { return timers_.size(); }  // How many are pending.
  size_t posts() const {                            // How often Post was called.
    const std::lock_guard lock(mutex_);
    return posts_;
  }

 private:
  const std::thread::id thread_ = std::this_thread::get_id();
  SimClock clock_;
  TimerId last_id_ = 0;
  std::map<std::pair<Instant, TimerId>, Work> timers_;
  mutable std::mutex mutex_;  // Guards the fields below.
  std::deque<Work> posted_;
  size_t posts_ = 0;
};

}  // namespace berth::net
