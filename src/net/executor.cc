#include "net/executor.h"

#include <future>

namespace berth::net {

void RunAndWait(Executor& executor, const std::function<void()>& work) {
  if (executor.RunsHere()) return work();
  std::promise<void> done;
  executor.Post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace berth::net
