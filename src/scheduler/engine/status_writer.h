// StatusWriter writes the status of pending pods to the API: conditions and nominated nodes.
//
// Nothing awaits these writes. They are retried a few times if the API is busy; a newer one is
// merged with one that is not issued yet, and none overtakes another of the same pod. Before a pod
// is bound its writes are settled: a late "could not be scheduled" must not reach a bound pod.
#pragma once

#include <coroutine>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "scheduler/engine/outbox.h"

namespace berth::scheduler::engine {

class StatusWriter {
 public:
  // `outbox` must outlive the writer.
  explicit StatusWriter(Outbox& outbox) : outbox_(outbox) {}

  void Patch(framework::PatchPodStatus patch);

  // Returns the nominated node that the pod's writes will leave; null if they do not change it.
  const std::string* NominationOf(const std::string& uid) const;

  // Handles the result of a write; returns false if it is not one of these.
  bool WriteEnded(CommandId id, const framework::WriteResult& result);
  // Retries the writes that wait for a time up to `now`.
  void PassTime(Instant now);
  std::optional<Instant> next_wake() const;

  // co_await Settle(uid) drops the pod's writes that are not issued, and waits for the results of
  // the others.
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
    framework::PatchPodStatus patch;   // Issued, or to be retried at `retry_at`.
    std::optional<CommandId> command;  // The command, until it has ended.
    std::optional<Instant> retry_at = {};
    int tries = 0;
    std::optional<framework::PatchPodStatus> next = {};  // To be written after it.
    std::coroutine_handle<> waiter = {};
  };

  void Issue(const std::string& uid, PodWrites& pod);
  // Reports whether no write of the pod is in progress any more.
  bool GiveUp(const std::string& uid);
  void Finish(const std::string& uid);

  Outbox& outbox_;
  std::unordered_map<std::string, PodWrites> pods_;  // By uid.
  std::unordered_map<CommandId, std::string> uid_of_command_;
  std::set<std::pair<Instant, std::string>> retries_;
};

}  // namespace berth::scheduler::engine
