// WaitingPods are the pods that Permit plugins hold back between the choice of a node and binding.
//
// A pod waits until each plugin that said Wait has allowed it, one has rejected it, or a time-out
// is over. The first outcome stands. Whoever resolves a pod's wait does not run what follows: the
// engine takes the resolved pods out when it is ready for them.
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
    std::map<std::string, Duration, std::less<>> held_by;  // Plugins, and for how long at most.
    std::optional<Verdict> outcome;                        // Once it need not wait any longer.
  };

  // The longest that a plugin may hold a pod back.
  static constexpr Duration kMaxTimeout = Duration::Seconds(15 * 60);

  // --- for plugins ---

  // The pods that wait, by uid, and those whose wait has just ended, with its outcome.
  const std::map<std::string, Pod, std::less<>>& all() const { return pods_; }
  // `plugin` holds the pod back no longer. False if it does not wait.
  bool Allow(std::string_view uid, std::string_view plugin);
  // The pod is not to be bound. False if it does not wait.
  bool Reject(std::string_view uid, std::string_view plugin, std::string message);

  // --- for the engine ---

  // `timeouts` are those of the plugins that said Wait: at least one.
  void Add(std::string uid, api::ObjectKey key, std::string node,
           const std::map<std::string, Duration, std::less<>>& timeouts, Instant now);
  // Its room is needed for a more important pod. False if it does not wait.
  bool Preempt(std::string_view uid);
  bool Waits(std::string_view uid) const;
  // Rejects the pods whose time is up.
  void PassTime(Instant now);
  // When PassTime may next have something to do.
  std::optional<Instant> next_wake() const;

  // The pods whose wait is over, in the order in which it ended, and how; they are forgotten.
  std::vector<std::pair<std::string, Verdict>> TakeResolved();

 private:
  bool Resolve(std::string_view uid, Verdict outcome);
  using HeldBy = std::map<std::string, Duration, std::less<>>;
  HeldBy::iterator LetGo(const std::string& uid, Pod& pod, HeldBy::iterator holder);

  std::map<std::string, Pod, std::less<>> pods_;
  // When, which pod, held by which plugin. Only of pods that wait: a pod that comes back has new
  // ones.
  std::set<std::tuple<Instant, std::string, std::string>> deadlines_;
  std::vector<std::string> resolved_;
};

}  // namespace berth::scheduler::framework
