// SlowWrites executes writes whose validation is expensive, one at a time on a thread of its own,
// so that the threads that serve everybody are not kept busy.
//
// Writes to different namespaces take turns. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace berth::apiserver {

class SlowWrites {
 public:
  // What validation may cost, in the units of crd::ValidationWork: some 8 ms where everybody is
  // served, and some seconds here, repetitions after conflicts included.
  static constexpr uint64_t kEasyWork = 1'000'000;
  static constexpr uint64_t kMaxWork = 400'000'000;
  // Writes that may wait.
  static constexpr size_t kMaxWaiting = 64;

  // Becomes true when the write shall end: its client has gone, or the server stops.
  using Cancelled = std::shared_ptr<std::atomic<bool>>;

  SlowWrites() = default;
  ~SlowWrites() { Stop(); }
  SlowWrites(const SlowWrites&) = delete;
  SlowWrites& operator=(const SlowWrites&) = delete;

  // Lets the thread call `execute`, which must end soon once `cancelled` is true. Returns false if
  // too many writes wait, or after Stop.
  bool Add(std::string namespace_, Cancelled cancelled, std::function<void()> execute);

  // Cancels all writes and waits until they have ended.
  void Stop();

 private:
  struct Waiting {
    std::string namespace_;
    Cancelled cancelled;
    std::function<void()> execute;
  };

  void Run();
  // Removes the next write: the first of another namespace than the one before, if there is any.
  Waiting TakeNext();

  std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  Cancelled running_;  // Of the write that is being executed; null if none is.
  std::string last_namespace_;
  bool stop_ = false;
  std::thread thread_;  // Starts with the first write.
};

}  // namespace berth::apiserver
