// BindingContext is what PreBind, Bind and PostBind plugins work with: the pod, its node, and a way
// to ask for API writes and wait for their result, or for time to pass.
#pragma once

#include <coroutine>
#include <utility>

#include "base/time.h"
#include "cluster/cluster.h"
#include "framework/cycle.h"
#include "framework/writes.h"

namespace berth {

class BindingContext {
 public:
  virtual ~BindingContext() = default;

  virtual Cycle& cycle() = 0;
  virtual NodeRow node() const = 0;
  virtual Instant now() const = 0;

  // co_await binding.Write(...) gives the WriteResult once the API has answered.
  struct PendingWrite {
    BindingContext& context;
    ApiWrite write;
    WriteResult result = {};

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { context.Issue(*this, waiter); }
    WriteResult await_resume() { return std::move(result); }
  };
  PendingWrite Write(ApiWrite write) { return {*this, std::move(write)}; }

  // co_await binding.Sleep(...) goes on when so much time has passed.
  struct Pause {
    BindingContext& context;
    Duration length;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { context.Wake(length, waiter); }
    void await_resume() const noexcept {}
  };
  Pause Sleep(Duration length) { return {*this, length}; }

 private:
  // Hands out pending.write; when its result is known, stores it in `pending` and resumes `waiter`.
  virtual void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) = 0;
  // Resumes `waiter` once, after `length`.
  virtual void Wake(Duration length, std::coroutine_handle<> waiter) = 0;
};

}  // namespace berth
