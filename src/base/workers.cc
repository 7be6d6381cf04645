#include "base/workers.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace berth {

class ThreadWorkers::ThreadPool {
 public:
  explicit ThreadPool(size_t threads) {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Wait(); });
  }

  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wanted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Run(size_t parts, const std::function<void(size_t)>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    next_ = 0;
    parts_ = unfinished_ = parts;
    wanted_.notify_all();
    TakeParts(lock);
    finished_.wait(lock, [this] { return unfinished_ == 0; });
    work_ = nullptr;
  }

 private:
  void Wait() {
    std::unique_lock lock(mutex_);
    while (true) {
      wanted_.wait(lock, [this] { return ending_ || next_ < parts_; });
      if (ending_) return;
      TakeParts(lock);
    }
  }

  void TakeParts(std::unique_lock<std::mutex>& lock) {
    while (next_ < parts_) {
      const size_t part = next_++;
      const std::function<void(size_t)>& work = *work_;
      lock.unlock();
      work(part);
      lock.lock();
      if (--unfinished_ == 0) finished_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_, finished_;
  const std::function<void(size_t)>* work_ = nullptr;
  size_t next_ = 0, parts_ = 0, unfinished_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

ThreadWorkers::ThreadWorkers(size_t count) : count_(std::max<size_t>(count, 1)) {}

size_t ThreadWorkers::UsefulCount(int requested) {
  return std::min(static_cast<size_t>(std::max(requested, 1)),
                  static_cast<size_t>(std::max(std::thread::hardware_concurrency(), 1U)));
}

ThreadWorkers::~ThreadWorkers() = default;

void ThreadWorkers::Run(size_t parts, const std::function<void(size_t)>& work) {
  if (parts <= 1 || count_ == 1) {
    for (size_t part = 0; part < parts; ++part) work(part);
    return;
  }
  if (pool_ == nullptr) pool_ = std::make_unique<ThreadPool>(count_ - 1);
  pool_->Run(parts, work);
}

}  // namespace berth
