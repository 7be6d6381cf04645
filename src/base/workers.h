// Workers run the parts of one piece of work in parallel.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace berth {

class Workers {
 public:
  virtual ~Workers() = default;
  // Returns how many parts run at a time, at least 1.
  virtual size_t count() const = 0;
  // Calls work(0) to work(parts - 1), each once, on any thread; returns when all have ended. The
  // parts must not write to the same memory. Must be called from one thread at a time, and not from
  // within `work`.
  virtual void Run(size_t parts, const std::function<void(size_t)>& work) = 0;
};

// ThreadWorkers is a thread pool in which the caller of Run works too. The threads start with the
// first Run that has several parts.
class ThreadWorkers final : public Workers {
 public:
  // Uses `count` threads, the caller of Run included.
  explicit ThreadWorkers(size_t count);
  // Returns `requested`, limited to the number of processors and at least 1.
  static size_t UsefulCount(int requested);
  ~ThreadWorkers() override;

  size_t count() const override { return count_; }
  void Run(size_t parts, const std::function<void(size_t)>& work) override;

 private:
  class ThreadPool;
  size_t count_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace berth
