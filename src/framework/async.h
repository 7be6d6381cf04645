// Async is what coroutines of the engine wait with: for API writes to end, and for time to pass.
#pragma once

#include <coroutine>
#include <utility>

#include "base/time.h"
#include "framework/writes.h"

namespace berth {

class Async {
 public:
  virtual ~Async() = default;

  virtual Instant now() const = 0;

  // co_await async.Write(std::move(write)) gives the WriteResult once the API has answered. Give
  // the write a name first: GCC 12 destroys what is made inside a co_await expression twice.
  struct PendingWrite {
    Async& async;
    ApiWrite write;
    WriteResult result = {};

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { async.Issue(*this, waiter); }
    WriteResult await_resume() { return std::move(result); }
  };
  PendingWrite Write(ApiWrite write) { return {*this, std::move(write)}; }

  // co_await async.Sleep(...) goes on when so much time has passed.
  struct Pause {
    Async& async;
    Duration length;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { async.Wake(length, waiter); }
    void await_resume() const noexcept {}
  };
  Pause Sleep(Duration length) { return {*this, length}; }

 protected:
  // Hands out pending.write; when its result is known, stores it in `pending` and resumes `waiter`.
  virtual void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) = 0;
  // Resumes `waiter` once, after `length`.
  virtual void Wake(Duration length, std::coroutine_handle<> waiter) = 0;
};

}  // namespace berth
