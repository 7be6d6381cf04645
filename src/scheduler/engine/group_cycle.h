// The scheduling cycle of a PodGroup: the members that are tried together, and what was found for
// each of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "base/task.h"
#include "base/time.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/failure.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::scheduler::engine {

// What the Permit plugins said about a pod on its node.
struct PermitOutcome {
  std::optional<Failure> failure;
  std::map<std::string, Duration, std::less<>> timeouts;  // Of the plugins that returned Wait.
  std::string message;                                    // Why it waits.
};

// What a trial found for one member.
struct MemberTrial {
  std::shared_ptr<framework::ClassResults> results;  // With `attempt`: null if it has no node.
  std::unique_ptr<framework::Attempt> attempt;
  framework::AttemptMeter meter;        // Of the attempt.
  model::NodeRow node;                  // Invalid if it has none.
  size_t evaluated = 0, feasible = 0;   // Numbers of nodes.
  bool needs_preemption = false;        // The node is one where victims are being evicted for it.
  std::optional<Failure> failure;       // If it has no node, or needs preemption.
  bool permitted = false;               // Permit plugins would let it be bound.
  std::string permit_message;           // Otherwise: why it waits.
  std::string nominated_before;         // Its nominated node before it was assumed.
  std::vector<api::ObjectKey> victims;  // That are evicted for it.
  std::optional<Explanation> explanation;  // If EngineOptions::explain is set.

  void DropAttempt() {
    attempt.reset();
    results.reset();
  }
};

// A trial of all members, one after the other.
struct GroupTrial {
  std::vector<MemberTrial> members;  // As those of the cycle; fewer after an error.
  std::vector<size_t> assumed;       // Members that have a node, in the order of placement.
  // Success: enough members have a node, for which they are assumed.
  framework::Verdict verdict;
  // It would be feasible once victims are gone. The verdict is Unschedulable.
  bool waiting_on_preemption = false;
  // By member: where it will be once they are, if that was decided for all of them.
  std::vector<model::NodeRow> nominations;
};

struct TrialOptions {
  bool post_filters = true;
  size_t at_least = 0;  // Stop when fewer members than that can have a node.
};

// A placement that was tried, and where the search for nodes began.
struct PlacementStart {
  const framework::Placement* placement;
  size_t next_start;
};

struct GroupMember {
  queue::QueueEntry entry;
  std::unique_ptr<const model::PodRecord> pod;  // Retained.
};

struct GroupCycle {
  api::ObjectKey group;
  size_t profile = 0;
  std::vector<GroupMember> members;  // In the order in which they are tried.
  std::vector<framework::Placement> placements;
  std::optional<framework::Placement> only = {};  // Consider this placement alone.
  framework::AttemptMeter meter = {};
  uint64_t steps_left = 0;  // Of complete searches.
  bool explains = true;     // What is tried; not while victims are selected.
  bool is_preview = false;  // Nothing is written or measured.
  std::string before = {};  // In paranoid mode: what the model counted when the cycle began.
  std::optional<Task<bool>> task = {};
};

}  // namespace berth::scheduler::engine
