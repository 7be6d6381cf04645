// SlowRequests is a thread for requests whose responses take work in the number of pods, so that
// they do not delay health checks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace berth::daemon {

// Functions may be called on any thread.
class SlowRequests {
 public:
  // How many may wait: scrapers ask one after another, and each response may be large.
  static constexpr size_t kMaxWaiting = 4;

  SlowRequests();
  ~SlowRequests();  // Ends the current request and drops those that wait.
  SlowRequests(const SlowRequests&) = delete;
  SlowRequests& operator=(const SlowRequests&) = delete;

  // Runs `work` on the thread. Returns false, without running it, if too many wait.
  bool Post(std::function<void()> work);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace berth::daemon
