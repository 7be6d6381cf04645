// StatusWriter keeps the status of waiting pods in the API up to date: conditions and nominated
// nodes.
//
// Nobody waits for these writes. They are retried a few times if the API is busy; a newer one is
// merged with one that has not gone out yet, and none overtakes another of the same pod. Before a
// pod is bound its writes are settled: a late "could not be scheduled" must not reach a bound pod.
#pragma once

#include <coroutine>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/task.h"
#include "scheduler/engine/outbox.h"

namespace berth::scheduler::engine {

// For whoever needs to know how the patch of a status ends: writes it, and tries again a few times,
// after growing pauses, while the API is busy. `patch` must live until then.
Task<framework::WriteResult> WriteStatus(framework::Async& async,
                                         const framework::PatchPodStatus& patch);

class StatusWriter {
 public:
  // `outbox` must outlive the writer.
  explicit StatusWriter(Outbox& outbox) : outbox_(outbox) {}

  void Patch(framework::PatchPodStatus patch);

  // Takes the end of a write; false if it is not one of these.
  bool WriteEnded(CommandId id, const framework::WriteResult& result);
  // Tries again what waits for a time up to `now`.
  void PassTime(Instant now);
  std::optional<Instant> next_wake() const;

  // co_await Settle(uid) gives up what has not gone out of the pod's writes, and waits for the end
  // of what has.
  struct Settling {
    StatusWriter& writer;
    std::string uid;
    bool await_ready() { return writer.GiveUp(uid); }
    void await_suspend(std::coroutine_handle<> waiter) { writer.pods_.at(uid).waiter = waiter; }
    void await_resume() const noexcept {}
  };
  Settling Settle(std::string uid) { return {*this, std::move(uid)}; }

  // The pods with writes that have not ended.
  size_t size() const { return pods_.size(); }

 private:
  struct PodWrites {
    framework::PatchPodStatus patch;  // Asked for, or to be tried again at `retry_at`.
    std::optional<CommandId> asked;   // The command, until it has ended.
    std::optional<Instant> retry_at = {};
    int tries = 0;
    std::optional<framework::PatchPodStatus> next = {};  // To be written after it.
    std::coroutine_handle<> waiter = {};
  };

  void Issue(const std::string& uid, PodWrites& pod);
  // True if nothing of the pod's is under way any more.
  bool GiveUp(const std::string& uid);
  void Finish(const std::string& uid);

  Outbox& outbox_;
  std::unordered_map<std::string, PodWrites> pods_;  // By uid.
  std::unordered_map<CommandId, std::string> uid_of_command_;
  std::set<std::pair<Instant, std::string>> retries_;
};

}  // namespace berth::scheduler::engine
