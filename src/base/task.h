// Task<T> is a coroutine that returns a T: straight-line code for work that waits for events.
//
// A task starts when it is awaited (or when Start is called on the outermost one) and resumes its
// awaiter when it is done. Everything runs on the thread that resumes it; there is no executor and
// no lock. Destroying a suspended task destroys the tasks it awaits, innermost first.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "base/recycled_memory.h"

namespace berth {

template <typename T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::coroutine_handle<> waiter;

    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return ResumeWaiter{}; }
    void return_value(T v) { value = std::move(v); }
    // What a plugin throws reaches the caller of Resume; the task cannot be resumed again.
    void unhandled_exception() { throw; }

    // Frames are large, and of few sizes.
    static void* operator new(size_t bytes) { return AllocateRecycled(bytes); }
    static void operator delete(void* frame, size_t bytes) { FreeRecycled(frame, bytes); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      Reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { Reset(); }

  // Runs the outermost task until it first suspends or is done.
  void Start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  const T& result() const { return *handle_.promise().value; }

  bool await_ready() const noexcept { return false; }
  // A task that completes without suspending resumes its awaiter in place, so that a loop over such
  // tasks does not deepen the stack.
  bool await_suspend(std::coroutine_handle<> waiter) {
    handle_.resume();
    if (handle_.done()) return false;
    handle_.promise().waiter = waiter;
    return true;
  }
  T await_resume() { return std::move(*handle_.promise().value); }

 private:
  using Handle = std::coroutine_handle<promise_type>;

  struct Joining {
    Handle handle;
    bool await_ready() const noexcept { return handle.done(); }
    void await_suspend(std::coroutine_handle<> waiter) noexcept {
      handle.promise().waiter = waiter;
    }
    T await_resume() { return std::move(*handle.promise().value); }
  };

 public:
  // Returns an awaitable for the end of a started task: co_await task.Join().
  Joining Join() { return {handle_}; }

 private:
  struct ResumeWaiter {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle done) noexcept {
      auto waiter = done.promise().waiter;
      return waiter ? waiter : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };

  explicit Task(Handle handle) : handle_(handle) {}
  void Reset() {
    if (handle_) handle_.destroy();
  }

  Handle handle_;
};

}  // namespace berth
