#include "scheduler/engine/status_writer.h"

#include "scheduler/framework/status_patches.h"
#include "scheduler/framework/status_retries.h"

namespace berth::scheduler::engine {

void StatusWriter::Issue(const std::string& uid, PodWrites& pod) {
  pod.command = outbox_.Post(framework::PatchPodStatus(pod.patch));
  ++pod.tries;
  uid_of_command_.emplace(*pod.command, uid);
}

void StatusWriter::Patch(framework::PatchPodStatus patch) {
  const std::string uid = patch.uid;
  const auto [found, is_new] = pods_.try_emplace(uid, PodWrites{.patch = {}, .command = {}});
  PodWrites& pod = found->second;
  if (is_new) {
    pod.patch = std::move(patch);
  } else if (pod.retry_at) {
    pod.patch = framework::Merge(pod.patch, std::move(patch));
    return;
  } else if (outbox_.Withdraw(framework::LaneOf(pod.patch), *pod.command)) {
    uid_of_command_.erase(*pod.command);
    pod.patch = framework::Merge(pod.patch, std::move(patch));
    pod.tries = 0;
  } else {
    pod.next = pod.next ? framework::Merge(*pod.next, std::move(patch)) : std::move(patch);
    return;
  }
  Issue(uid, pod);
}

const std::string* StatusWriter::NominationOf(const std::string& uid) const {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return nullptr;
  const std::optional<framework::PatchPodStatus>& next = found->second.next;
  const framework::PatchPodStatus& patch = found->second.patch;
  if (next && next->nominated_node_name) return &*next->nominated_node_name;
  return patch.nominated_node_name ? &*patch.nominated_node_name : nullptr;
}

bool StatusWriter::WriteEnded(CommandId id, const framework::WriteResult& result) {
  const auto command = uid_of_command_.find(id);
  if (command == uid_of_command_.end()) return false;
  const std::string uid = std::move(command->second);
  uid_of_command_.erase(command);
  PodWrites& pod = pods_.at(uid);
  pod.command.reset();
  const bool retries = framework::WorthRetrying(result) && pod.tries < framework::kMaxStatusTries;
  if (!pod.waiter && pod.next) {
    // A write that failed is merged into the next.
    framework::PatchPodStatus next = *std::exchange(pod.next, std::nullopt);
    pod.patch = framework::WorthRetrying(result) ? framework::Merge(pod.patch, std::move(next))
                                                 : std::move(next);
    pod.tries = 0;
    Issue(uid, pod);
  } else if (!pod.waiter && retries) {
    pod.retry_at = outbox_.now() + framework::PauseAfter(pod.tries);
    retries_.emplace(*pod.retry_at, uid);
  } else {
    Finish(uid);
  }
  return true;
}

void StatusWriter::PassTime(Instant now) {
  while (!retries_.empty() && retries_.begin()->first <= now) {
    const std::string uid = retries_.begin()->second;
    retries_.erase(retries_.begin());
    PodWrites& pod = pods_.at(uid);
    pod.retry_at.reset();
    Issue(uid, pod);
  }
}

std::optional<Instant> StatusWriter::next_wake() const {
  if (retries_.empty()) return std::nullopt;
  return retries_.begin()->first;
}

bool StatusWriter::GiveUp(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return true;
  PodWrites& pod = found->second;
  pod.next.reset();
  if (pod.retry_at) {
    retries_.erase({*pod.retry_at, uid});
  } else if (outbox_.Withdraw(framework::LaneOf(pod.patch), *pod.command)) {
    uid_of_command_.erase(*pod.command);
  } else {
    return false;
  }
  pods_.erase(found);
  return true;
}

void StatusWriter::Finish(const std::string& uid) {
  const auto waiter = pods_.at(uid).waiter;
  pods_.erase(uid);
  if (waiter) waiter.resume();
}

}  // namespace berth::scheduler::engine
