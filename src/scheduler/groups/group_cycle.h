// GroupCycle is the scheduling cycle of a PodGroup: the members that are tried together. GroupTrial
// is what was found for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "base/task.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/groups/pod_trial.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::scheduler::groups {

struct GroupMember {
  queue::QueueEntry entry;
  std::unique_ptr<const model::PodRecord> pod;  // Retained.
};

struct GroupCycle {
  api::ObjectKey group;
  size_t profile = 0;  // Of all members, with what follows:
  const framework::Profile* plugins = nullptr;
  framework::ClassResultsCache* results = nullptr;
  std::vector<GroupMember> members;  // In the order in which they are tried.
  std::vector<framework::Placement> placements;
  std::optional<framework::Placement> only = {};  // Consider this placement alone.
  framework::AttemptMeter meter = {};
  uint64_t steps_left = 0;  // Of complete searches.
  bool explains = true;     // What is tried; not while victims are selected.
  bool is_preview = false;  // Nothing is written or measured.
  std::string before = {};  // In paranoid mode: what the model counted when the cycle began.
  std::optional<Task<bool>> task = {};

  std::vector<const model::PodRecord*> pods() const;
  // How the member at `index` is tried.
  TrialRequest RequestFor(size_t index, const framework::Placement* placement,
                          bool post_filters) const;
};

// A trial of all members, one after the other.
struct GroupTrial {
  std::vector<PodTrial> members;  // As those of the cycle; fewer after an error.
  std::vector<size_t> assumed;    // Members that have a node, in the order of placement.
  // Success: enough members have a node, for which they are assumed.
  framework::Verdict verdict;
  // It would be feasible once victims are gone. The verdict is Unschedulable.
  bool waiting_on_preemption = false;
  // By member: where it will be once they are, if that was decided for all of them.
  std::vector<model::NodeRow> nominations;
};

// A trial that found nothing, for this reason.
GroupTrial NotPlaced(framework::Verdict verdict);
// Adds a reason to why a group is unschedulable.
void AddReason(std::string reason, framework::Verdict& verdict);

// What decides about groups works with. All must outlive it.
struct GroupServices {
  model::Cluster& cluster;
  PodTrials& trials;
  bool has_extenders = false;
  bool explain = false;   // As in EngineOptions.
  bool paranoid = false;  // As in EngineOptions.
  framework::Log log = {};

  // A preview is not logged.
  framework::Log LogOf(const GroupCycle& cycle) const {
    return cycle.is_preview ? framework::Log() : log;
  }
};

// How many more members must have a node before any is bound.
size_t MissingMembers(const model::Cluster& cluster, const GroupCycle& cycle);

// Returns what the model counts: the sums and the pods of every node, and the members of groups. A
// trial that is taken back leaves it as it was.
std::string DescribeCounts(const model::Cluster& cluster);

// Reports whether it is a gang of which too few members have a node.
bool IsBroken(const model::Cluster& cluster, const api::ObjectKey& group);

}  // namespace berth::scheduler::groups
