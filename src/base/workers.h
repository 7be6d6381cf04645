// Workers do one piece of work in parts, side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace berth {

class Workers {
 public:
  virtual ~Workers() = default;
  // How many parts can be done at a time, at least 1.
  virtual size_t count() const = 0;
  // Calls work(0) to work(parts - 1), each once, on whatever thread; returns when all have ended.
  // What the parts write must not overlap. Called on one thread at a time, and not from within.
  virtual void Run(size_t parts, const std::function<void(size_t)>& work) = 0;
};

// ThreadWorkers are threads that wait for work; whoever brings some takes part in it. They are
// started when there is something to share out for the first time.
class ThreadWorkers final : public Workers {
 public:
  // `count` of them, the caller of Run included.
  explicit ThreadWorkers(size_t count);
  // How many of the workers that the user wishes for the machine has processors for.
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
