// Runs something on the thread of an event loop, and waits for it.
#pragma once

#include <functional>
#include <future>

#include "client/timers.h"

namespace berth::daemon {

// The timers' thread must run, and be another than the caller's.
inline void RunOn(client::Timers& timers, const std::function<void()>& work) {
  std::promise<void> done;
  timers.Post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace berth::daemon
