// Await waits for another thread, but at most 30 seconds: a test that would hang fails instead.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace berth {

inline constexpr std::chrono::seconds kAwaitLimit(30);

// Returns the value of `future`. Throws if there is none in time, which fails the test.
template <typename T>
T Await(std::future<T> future) {
  if (future.wait_for(kAwaitLimit) != std::future_status::ready) {
    throw std::runtime_error("nothing happened within 30 seconds");
  }
  return future.get();
}

template <typename T>
T Await(std::promise<T>& promise) {
  return Await(promise.get_future());
}

// Waits until `done()` is true, which another thread causes without a notification. Reports a
// failure and returns false if it does not become true in time.
template <typename Done>
  requires std::predicate<Done>
[[nodiscard]] bool Await(Done done) {
  const auto limit = std::chrono::steady_clock::now() + kAwaitLimit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > limit) {
      ADD_FAILURE() << "nothing happened within 30 seconds";
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

// Waits until `done()` is true, which is evaluated under `lock` after each notification. Reports a
// failure and returns false if it does not become true in time.
template <typename Done>
[[nodiscard]] bool Await(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                         Done done) {
  if (changed.wait_for(lock, kAwaitLimit, done)) return true;
  ADD_FAILURE() << "nothing happened within 30 seconds";
  return false;
}

}  // namespace berth
