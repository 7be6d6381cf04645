// ThreadWorkers are threads that wait for work; whoever brings some takes part in it. They are
// started when there is something to share out for the first time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/workers.h"

namespace berth {

class ThreadWorkers final : public Workers {
 public:
  // `count` of them, the caller of Run included.
  explicit ThreadWorkers(size_t count);
  // How many of the workers that the user wishes for the machine has processors for.
  static size_t Useful(int wished);
  ~ThreadWorkers() override;

  size_t count() const override { return count_; }
  void Run(size_t parts, const std::function<void(size_t)>& work) override;

 private:
  class Crew;
  size_t count_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace berth
