// Fakes for tests of plugins that write: they record writes, and results and time come on request.
#pragma once

#include <gtest/gtest.h>

#include <coroutine>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::plugins {

// ManualBinding is a BindingContext for one plugin.
class ManualBinding final : public framework::BindingContext {
 public:
  ManualBinding(framework::Cycle& cycle, model::NodeRow node) : cycle_(cycle), node_(node) {}

  framework::Cycle& cycle() override { return cycle_; }
  model::NodeRow node() const override { return node_; }
  bool cancelled() const override { return is_cancelled; }
  Instant now() const override { return now_; }
  void Record(framework::RecordEvent event) override { events.push_back(std::move(event)); }

  void Complete(framework::WriteResult result) {
    ASSERT_NE(pending_, nullptr);
    std::exchange(pending_, nullptr)->result = std::move(result);
    waiter_.resume();
  }
  // Lets the time pass that is waited for.
  void Wait() {
    ASSERT_TRUE(sleeping_);
    sleeping_ = false;
    now_ = wakes_;
    waiter_.resume();
  }
  bool writing() const { return pending_ != nullptr; }
  bool sleeping() const { return sleeping_; }

  std::vector<framework::ApiWrite> writes;
  std::vector<framework::RecordEvent> events;
  bool is_cancelled = false;

 private:
  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override {
    writes.push_back(pending.write);
    pending_ = &pending;
    waiter_ = waiter;
  }
  void Wake(Duration length, std::coroutine_handle<> waiter) override {
    sleeping_ = true;
    wakes_ = now_ + length;
    waiter_ = waiter;
  }

  framework::Cycle& cycle_;
  const model::NodeRow node_;
  PendingWrite* pending_ = nullptr;
  std::coroutine_handle<> waiter_;
  bool sleeping_ = false;
  Instant now_ = Instant::FromUnixSeconds(100);
  Instant wakes_;
};

// ManualBackground runs tasks; their writes end in the order in which they were issued. No time
// passes.
class ManualBackground final : public framework::Background {
 public:
  framework::Async& async() override { return writes_; }
  void Run(std::string name, Task<framework::Verdict> task) override {
    tasks_.emplace_back(std::move(name), std::move(task));
    tasks_.back().second.Start();
  }
  bool IsRunning(std::string_view name) const override {
    for (const auto& [running, task] : tasks_) {
      if (running == name && !task.done()) return true;
    }
    return false;
  }

  // Ends the oldest write that has not ended.
  void Complete(framework::WriteResult result) { writes_.Complete(std::move(result)); }
  const std::vector<framework::ApiWrite>& writes() const { return writes_.all; }
  const framework::Verdict& result(size_t task) const { return tasks_[task].second.result(); }

 private:
  class Writes final : public framework::Async {
   public:
    Instant now() const override { return {}; }
    void Complete(framework::WriteResult result) {
      ASSERT_FALSE(pending_.empty());
      const auto [pending, waiter] = pending_.front();
      pending_.pop_front();
      pending->result = std::move(result);
      waiter.resume();
    }
    std::vector<framework::ApiWrite> all;

   private:
    void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override {
      all.push_back(pending.write);
      pending_.emplace_back(&pending, waiter);
    }
    void Wake(Duration, std::coroutine_handle<> waiter) override { waiter.resume(); }

    std::deque<std::pair<PendingWrite*, std::coroutine_handle<>>> pending_;
  };

  Writes writes_;
  std::deque<std::pair<std::string, Task<framework::Verdict>>> tasks_;
};

}  // namespace berth::scheduler::plugins
