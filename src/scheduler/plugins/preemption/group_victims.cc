#include "scheduler/plugins/preemption/group_victims.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/object.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/plugins/preemption/disruption_budgets.h"

namespace berth::scheduler::plugins {
namespace {

// Pods that are evicted together.
struct VictimUnit {
  std::vector<model::PodId> pods;
  int32_t priority = 0;
  bool of_group = false;  // Its pods belong to a group, also if they are evicted one by one.
  bool leaves = false;    // All its pods are terminating.
  bool violates = false;  // Its eviction violates a disruption budget.
  Instant start;          // The earliest of its pods.
  api::ObjectKey key;     // Of the pod or the group.
};

// DIFFERS: among equals the first by name; kube-scheduler leaves it to map order. The start of a
// group is that of its first pod; kube-scheduler's is that of any.
bool IsMoreImportant(const VictimUnit& a, const VictimUnit& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.of_group != b.of_group) return a.of_group;
  if (a.of_group && a.pods.size() != b.pods.size()) return a.pods.size() > b.pods.size();
  return std::tie(a.start, a.key) < std::tie(b.start, b.key);
}

const api::PodGroup* GroupEvictedTogether(const model::Cluster& cluster, const api::Pod& pod) {
  const auto key = model::GroupNamedBy(pod);
  const api::PodGroup* group = key ? cluster.objects<api::PodGroup>().Find(*key) : nullptr;
  return group != nullptr && group->disruption_mode == "PodGroup" ? group : nullptr;
}

bool IsMemberOf(const api::PodGroup& group, const api::Pod& pod) {
  return model::GroupNamedBy(pod) == api::ObjectKey{group.metadata.namespace_, group.metadata.name};
}

// Returns the units of lower priority than the group's.
std::vector<VictimUnit> PotentialUnits(const framework::FailedGroup& failed) {
  const model::Cluster& cluster = failed.cluster;
  std::vector<VictimUnit> units;
  std::map<const api::PodGroup*, size_t> of_groups;
  const model::NodeMask& nodes =
      failed.nodes == nullptr ? cluster.nodes().present() : *failed.nodes;
  nodes.ForEach([&](size_t row) {
    for (model::PodId id : cluster.nodes().info(model::NodeRow{static_cast<uint32_t>(row)}).pods) {
      const model::PodRecord& pod = cluster.pod(id);
      // DIFFERS: kube-scheduler also evicts members that it is just binding, and binds them again.
      const bool spared = failed.spares || pod.state == model::PodState::kAssumed;
      if (spared && IsMemberOf(failed.group, *pod.object)) continue;
      const Instant start = framework::StartOf(pod, failed.now);
      const api::PodGroup* group = GroupEvictedTogether(cluster, *pod.object);
      if (group != nullptr) {
        if (const auto known = of_groups.find(group); known != of_groups.end()) {
          VictimUnit& unit = units[known->second];
          unit.pods.push_back(id);
          unit.leaves = unit.leaves && pod.terminating();
          unit.start = std::min(unit.start, start);
          continue;
        }
      }
      const int32_t priority = group == nullptr ? pod.object->priority() : group->priority();
      if (priority >= failed.group.priority()) continue;
      if (group != nullptr) of_groups.emplace(group, units.size());
      units.push_back({{id},
                       priority,
                       pod.object->spec.pod_group_name.has_value(),
                       pod.terminating(),
                       /*violates=*/false,
                       start,
                       group == nullptr
                           ? pod.key()
                           : api::ObjectKey{group->metadata.namespace_, group->metadata.name}});
    }
  });
  for (VictimUnit& unit : units) {
    std::ranges::sort(unit.pods, {}, [&](model::PodId id) { return cluster.pod(id).key(); });
  }
  std::ranges::sort(units, IsMoreImportant);
  return units;
}

// The cluster without some units, until this is destroyed.
class ClusterWithoutUnits {
 public:
  explicit ClusterWithoutUnits(model::Cluster& cluster) : cluster_(cluster) {}
  ~ClusterWithoutUnits() {
    for (model::PodId id : absent_) cluster_.PutBack(id);
  }
  ClusterWithoutUnits(const ClusterWithoutUnits&) = delete;
  ClusterWithoutUnits& operator=(const ClusterWithoutUnits&) = delete;

  void Remove(const VictimUnit& unit) {
    for (model::PodId id : unit.pods) {
      cluster_.TakeOff(id);
      absent_.push_back(id);
    }
  }
  void Add(const VictimUnit& unit) {
    for (model::PodId id : unit.pods) {
      cluster_.PutBack(id);
      std::erase(absent_, id);
    }
  }

 private:
  model::Cluster& cluster_;
  std::vector<model::PodId> absent_;
};

// Returns the units in the order in which they are reprieved: those whose eviction violates a
// budget, then the others; each part in order. Units that leave anyway come last, if any are
// spared.
std::vector<const VictimUnit*> ReprieveOrder(const framework::FailedGroup& failed,
                                             std::vector<VictimUnit>& units) {
  std::vector<const VictimUnit*> violating, others, leaving;
  DisruptionBudgets budgets(failed.cluster);
  for (VictimUnit& unit : units) {
    if (failed.spares && unit.leaves) {
      leaving.push_back(&unit);
      continue;
    }
    unit.violates = std::ranges::any_of(
        unit.pods, [&](model::PodId id) { return budgets.Overdraws(failed.cluster.pod(id)); });
    (unit.violates ? violating : others).push_back(&unit);
  }
  violating.insert(violating.end(), others.begin(), others.end());
  violating.insert(violating.end(), leaving.begin(), leaving.end());
  return violating;
}

framework::PodGroupPostFilterResult Unhelpful(framework::Verdict why) {
  return {std::move(why), {}};
}

}  // namespace

Task<framework::PodGroupPostFilterResult> SelectVictimsForGroup(framework::FailedGroup& failed) {
  const bool never = std::ranges::any_of(failed.members, [](const model::PodRecord* pod) {
    return pod->object->spec.preemption_policy == "Never";
  });
  if (never) {
    co_return Unhelpful(
        {framework::Code::kUnschedulable, "not eligible due to preemptionPolicy=Never."});
  }
  std::vector<VictimUnit> units = PotentialUnits(failed);
  if (units.empty()) {
    co_return Unhelpful({framework::Code::kUnschedulableAndUnresolvable,
                         "No preemption victims found for incoming preemptor"});
  }
  ClusterWithoutUnits rest(failed.cluster);
  for (const VictimUnit& unit : units) rest.Remove(unit);
  framework::Verdict empty = co_await failed.fits();
  if (!empty.ok()) co_return Unhelpful(std::move(empty));

  std::vector<const VictimUnit*> victims;
  for (const VictimUnit* unit : ReprieveOrder(failed, units)) {
    rest.Add(*unit);
    const framework::Verdict verdict = co_await failed.fits();
    if (verdict.ok()) continue;
    rest.Remove(*unit);
    victims.push_back(unit);
  }
  std::ranges::sort(
      victims, [](const VictimUnit* a, const VictimUnit* b) { return IsMoreImportant(*a, *b); });
  framework::PodGroupPostFilterResult result;
  for (const VictimUnit* unit : victims) {
    result.victims.insert(result.victims.end(), unit->pods.begin(), unit->pods.end());
    if (unit->violates) result.violations += unit->pods.size();
  }
  co_return result;
}

}  // namespace berth::scheduler::plugins
