// CoschedulingStatus maintains the status of scheduler-plugins' PodGroups
// (scheduling.x-k8s.io/v1alpha1) as the controller of scheduler-plugins does: their phase, and how
// many of their pods run, have succeeded and have failed.
//
// The kind exists only while its CustomResourceDefinition is installed. Only namespaces that have
// such groups are indexed: in others a pod costs one look-up. A sync does not visit the pods.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "localcluster/controller.h"

namespace berth::localcluster {

class CoschedulingStatus final : public Controller {
 public:
  explicit CoschedulingStatus(Context& context) : Controller("coscheduling-status", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& group) override;
  size_t index_size() const override;

 private:
  // The pods whose label names a group. Only pods in the namespace of the group are members, as for
  // the scheduler; scheduler-plugins' controller also counts those of other namespaces.
  struct Members {
    std::set<std::string> pods;
    int64_t running = 0;
    int64_t succeeded = 0;
    int64_t failed = 0;

    int64_t size() const { return static_cast<int64_t>(pods.size()); }
    // Adds `step` to the count of the pod's phase.
    void Count(const PodRecord& pod, int64_t step);
  };
  struct Namespace {
    std::set<std::string> groups;
    // By the name of the group, which may not exist: pods often come first.
    std::map<std::string, Members, std::less<>> members;

    void Add(std::string_view group, const PodRecord& pod);
    void Remove(std::string_view group, const PodRecord& pod);
  };

  void ObserveGroup(const Change& change);
  void ObservePod(const Change& change);
  void QueueGroup(const std::string& namespace_, const Namespace& known, std::string_view group);
  const Members& MembersOf(const ObjectName& group) const;

  // Returns the phase that follows `phase`.
  static std::string_view NextPhase(std::string_view phase, const Members& members,
                                    int64_t min_member);
  // Reports whether the status changed.
  bool UpdateStatus(const ObjectName& name, JsonObject& group) const;
  // Returns the owners of the pod as "namespace/name", sorted and separated by commas.
  std::string OwnersOf(const ObjectName& pod) const;

  std::map<std::string, Namespace> namespaces_;  // Those that have groups.
};

}  // namespace berth::localcluster
