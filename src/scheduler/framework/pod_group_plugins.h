// The extension points of a PodGroup's cycle: PlacementGenerate, PlacementScore and
// PodGroupPostFilter. Its members go through the extension points of pods (plugin.h), one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "api/meta.h"
#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::api {
struct PodGroup;
}

namespace berth::scheduler::framework {

// A set of nodes on which the members of a group may be placed together.
struct Placement {
  std::string name;  // The topology domain; empty if it is the whole cluster.
  model::NodeMask nodes;
};

struct GeneratedPlacements {
  Verdict verdict;
  std::vector<Placement> placements;  // In the order in which equals are preferred.
};

// PlacementGenerate: returns the placements to try for a group. At most one plugin per profile.
class PlacementGeneratePlugin : public virtual Plugin {
 public:
  virtual GeneratedPlacements GeneratePlacements(const model::Cluster& cluster,
                                                 const api::ObjectKey& group) const = 0;
};

// A placement that suits a group, and the members that it would have there.
struct PlacementAssignments {
  const Placement* placement;
  std::vector<const model::PodRecord*> members;
};

class PlacementScorePlugin : public virtual Plugin {
 public:
  // Writes the score of each placement, in 0..100, to `out`. The members are not assumed there.
  virtual Verdict ScorePlacements(const model::Cluster& cluster, const api::ObjectKey& group,
                                  std::span<const PlacementAssignments> placements,
                                  std::span<int64_t> out) const = 0;
};

// How nodes are found for the members of a group. Berth's own: by default one member after the
// other, as in kube-scheduler.
struct GroupSearch {
  // If that fails, search for a placement until it is found, or known that there is none.
  bool complete = false;
  uint64_t budget = 0;  // Steps of a search.
  // Labels of nodes, from the smallest topology domains to the largest: a group goes to one of the
  // smallest domains that hold it.
  std::vector<std::string> topology_levels;
};

// A plugin that decides how groups are searched for. The first of a profile counts.
class GroupSearchPlugin : public virtual Plugin {
 public:
  virtual const GroupSearch& group_search() const = 0;
};

// A Filter plugin that rejects nodes with less free than the pod requests: cpu, memory, ephemeral
// storage, the number of pods, and scalar resources. Searches use it to bound what fits.
class ResourceFilterPlugin : public virtual Plugin {
 public:
  // Reports whether nodes are rejected for this scalar resource, wherever they are.
  virtual bool ChecksScalar(const model::Cluster& cluster, model::ScalarId resource) const = 0;
};

// A group whose cycle found no room for it.
struct FailedGroup {
  model::Cluster& cluster;
  const api::PodGroup& group;
  std::vector<const model::PodRecord*> members;  // That the cycle tried.
  Instant now;
  // Tries to place the group on the cluster as it is then, without PostFilter plugins; the cluster
  // is unchanged afterwards.
  std::function<Task<Verdict>()> fits;
  // Never evict the group's own members, and rather than any other pod one that is leaving anyway.
  // kube-scheduler does neither.
  bool spares = false;
  const model::NodeMask* nodes = nullptr;  // The only ones with victims, if not null.
};

struct PodGroupPostFilterResult {
  Verdict verdict;
  std::vector<model::PodId> victims;  // Upon success; most important first.
  size_t violations = 0;              // How many of them are protected by a disruption budget.
};

// PodGroupPostFilter: tries to make room for a group as a whole (preemption).
class PodGroupPostFilterPlugin : public virtual Plugin {
 public:
  virtual Task<PodGroupPostFilterResult> PodGroupPostFilter(FailedGroup& failed) const = 0;
};

}  // namespace berth::scheduler::framework
