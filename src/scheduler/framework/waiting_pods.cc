#include "scheduler/framework/waiting_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/go_duration.h"

namespace berth::scheduler::framework {

void WaitingPods::Add(std::string uid, api::ObjectKey key, std::string node,
                      const std::map<std::string, Duration, std::less<>>& timeouts, Instant now) {
  CHECK(!timeouts.empty());
  Pod pod{std::move(key), std::move(node), now, {}, std::nullopt};
  for (const auto& [plugin, requested] : timeouts) {
    const Duration timeout = std::min(requested, kMaxTimeout);
    pod.held_by.emplace(plugin, timeout);
    deadlines_.emplace(now + timeout, uid, plugin);
  }
  const bool added = pods_.emplace(std::move(uid), std::move(pod)).second;
  CHECK(added);
}

bool WaitingPods::Waits(std::string_view uid) const {
  const auto found = pods_.find(uid);
  return found != pods_.end() && !found->second.outcome;
}

WaitingPods::HeldBy::iterator WaitingPods::LetGo(const std::string& uid, Pod& pod,
                                                 HeldBy::iterator holder) {
  deadlines_.erase({pod.since + holder->second, uid, holder->first});
  return pod.held_by.erase(holder);
}

bool WaitingPods::Resolve(std::string_view uid, Verdict outcome) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.outcome) return false;
  Pod& pod = found->second;
  for (auto holder = pod.held_by.begin(); holder != pod.held_by.end();) {
    holder = LetGo(found->first, pod, holder);
  }
  pod.outcome = std::move(outcome);
  resolved_.emplace_back(uid);
  return true;
}

bool WaitingPods::Allow(std::string_view uid, std::string_view plugin) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.outcome) return false;
  auto& held_by = found->second.held_by;
  if (const auto holder = held_by.find(plugin); holder != held_by.end())
    LetGo(found->first, found->second, holder);
  if (held_by.empty()) Resolve(uid, Verdict());
  return true;
}

bool WaitingPods::Reject(std::string_view uid, std::string_view plugin, std::string message) {
  return Resolve(uid, Verdict(Code::kUnschedulable, std::move(message)).By(plugin));
}

bool WaitingPods::Preempt(std::string_view uid) {
  return Resolve(uid, Verdict::Error("preempted"));
}

void WaitingPods::PassTime(Instant now) {
  while (!deadlines_.empty() && std::get<Instant>(*deadlines_.begin()) <= now) {
    const auto [when, uid, plugin] = *deadlines_.begin();
    const Duration timeout = when - pods_.at(uid).since;
    Reject(uid, plugin,
           fmt::format("rejected due to timeout after waiting {} at plugin {}",
                       FormatGoDuration(timeout), plugin));
  }
}

std::optional<Instant> WaitingPods::next_wake() const {
  if (deadlines_.empty()) return std::nullopt;
  return std::get<Instant>(*deadlines_.begin());
}

std::vector<std::pair<std::string, Verdict>> WaitingPods::TakeResolved() {
  std::vector<std::pair<std::string, Verdict>> taken;
  for (std::string& uid : resolved_) {
    auto pod = pods_.extract(uid);
    taken.emplace_back(std::move(uid), *std::move(pod.mapped().outcome));
  }
  resolved_.clear();
  return taken;
}

}  // namespace berth::scheduler::framework
