// WaitingPods are the pods that Permit plugins delay between the choice of a node and binding.
//
// A pod waits until each plugin that returned Wait has allowed it, one has rejected it, or a
// timeout expires. The first outcome stands. Resolving a pod's wait does not run what follows: the
// engine removes the resolved pods when it is ready for them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/meta.h"
#include "base/time.h"
#include "scheduler/framework/verdict.h"

namespace berth::scheduler::framework {

class WaitingPods {
 public:
  struct Pod {
    api::ObjectKey key;
    std::string node;
    Instant since;
    std::map<std::string, Duration, std::less<>> held_by;  // Plugins and their timeouts.
    std::optional<Verdict> outcome;                        // Once it is resolved.
  };

  // The longest timeout of a plugin.
  static constexpr Duration kMaxTimeout = Duration::Seconds(15 * 60);

  // --- for plugins ---

  // The pods that wait, by uid, and those that are resolved, with their outcome.
  const std::map<std::string, Pod, std::less<>>& all() const { return pods_; }
  // `plugin` allows the pod. Returns false if it does not wait.
  bool Allow(std::string_view uid, std::string_view plugin);
  // Rejects the pod. Returns false if it does not wait.
  bool Reject(std::string_view uid, std::string_view plugin, std::string message);

  // --- for the engine ---

  // `timeouts` are those of the plugins that returned Wait: at least one.
  void Add(std::string uid, api::ObjectKey key, std::string node,
           const std::map<std::string, Duration, std::less<>>& timeouts, Instant now);
  // Rejects the pod because a pod of higher priority preempts it. Returns false if it does not
  // wait.
  bool Preempt(std::string_view uid);
  bool Waits(std::string_view uid) const;
  // Rejects the pods whose timeout has expired.
  void PassTime(Instant now);
  // When the next timeout expires.
  std::optional<Instant> next_wake() const;

  // Removes and returns the resolved pods, in the order in which they were resolved, with their
  // outcomes.
  std::vector<std::pair<std::string, Verdict>> TakeResolved();

 private:
  bool Resolve(std::string_view uid, Verdict outcome);
  using HeldBy = std::map<std::string, Duration, std::less<>>;
  HeldBy::iterator LetGo(const std::string& uid, Pod& pod, HeldBy::iterator holder);

  std::map<std::string, Pod, std::less<>> pods_;
  // When, which pod, which plugin. Only of pods that wait: a pod that returns has new ones.
  std::set<std::tuple<Instant, std::string, std::string>> deadlines_;
  std::vector<std::string> resolved_;
};

}  // namespace berth::scheduler::framework
