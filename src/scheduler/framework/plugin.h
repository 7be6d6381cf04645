// QueuedPod is a waiting pod as the QueueSort plugin sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::framework {

struct QueuedPod {
  model::PodId pod;
  int32_t priority = 0;
  Instant timestamp;      // When it entered the queue, or came back to it.
  uint64_t sequence = 0;  // Tells apart pods of the same instant: earlier ones are lower.
};

}  // namespace berth::scheduler::framework

namespace berth::scheduler::model {

// What a plugin is: one scheduling rule, taking part at one or more points of a pod's way.
//
// A plugin class derives from Plugin through the roles it plays (FilterPlugin, ScorePlugin, ...).
// Plugins are immutable after construction; what they compute is kept with the pod class
// (ClassState) or the cycle (CycleState). All calls come from the engine thread.
//
// Filters and scores are asked about sets of nodes, so that a rule is one loop over columns. A rule
// that is easier to say about one node at a time derives from NodeFilter or NodeScorer
// (node_at_a_time.h).
class Cluster;
struct PodClass;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::framework {

class ClassState;
class Cycle;
struct QueuedPod;

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;

  // Derives what the plugin wants to know about all pods of a class. Called once per class.
  virtual std::unique_ptr<const ClassState> Compile(model::Cluster&, const model::PodClass&) const;

  // The events that may make a pod schedulable which this plugin rejected. Every event, unless a
  // plugin knows better.
  virtual std::vector<ClusterEventWithHint> EventsToRegister() const;
  // Whether `event`, which one of the plugin's conditional interests covers, may indeed help `pod`.
  // Depends on the pod's class, its labels, its identity (for events about the pod itself and about
  // its ephemeral volumes) and the cluster. After an error the pod is tried.
  virtual Result<bool> QueueingHint(const model::Cluster&, const model::PodRecord& /*pod*/,
                                    const ClusterEvent&) const {
    return true;
  }

  // The plugin's place among those of its profile; set by the profile.
  size_t slot() const { return slot_; }

 private:
  friend class Profile;
  size_t slot_ = 0;
};

// What an answer about a node depends on.
enum class Scope : uint8_t {
  // The pod's class and that node's row, nothing else; so must PreFilter and PreScore. Answers are
  // kept, and asked for again only where a row changed; if many did, on several threads at once,
  // each with rows of its own, after one of them has asked about none.
  kNode,
  // Anything; asked in every cycle.
  kCluster,
};

// PreEnqueue: may the pod enter the queue at all?
class PreEnqueuePlugin : public virtual Plugin {
 public:
  virtual Verdict PreEnqueue(const model::Cluster& cluster, const model::PodRecord& pod) const = 0;
};

// QueueSort: which pod is tried first? Exactly one per profile, the same for all profiles.
class QueueSortPlugin : public virtual Plugin {
 public:
  virtual bool Less(const QueuedPod& a, const QueuedPod& b) const = 0;
};

struct PreFilterResult {
  Verdict verdict;
  // The only nodes worth looking at, by name, sorted; all if absent.
  std::optional<std::vector<Symbol>> nodes;
};

// PreFilter: prepares filtering, rejects the pod outright, or restricts it to some nodes. Skip
// takes the plugin's Filter out of this cycle.
class PreFilterPlugin : public virtual Plugin {
 public:
  virtual PreFilterResult PreFilter(Cycle& cycle) const = 0;

  // Tells the plugin, when trying things out, that `pod` now counts, or no longer counts, as
  // running on `node`. The cluster has changed already; this is for what the plugin noted in the
  // cycle.
  virtual void PodAdded(Cycle&, const model::PodRecord& /*pod*/, model::NodeRow /*node*/) const {}
  virtual void PodRemoved(Cycle&, const model::PodRecord& /*pod*/, model::NodeRow /*node*/) const {}
};

class FilterPlugin : public virtual Plugin {
 public:
  // Clears from `nodes` those that the pod may not run on; never sets a bit. Returns Success, or
  // Error if the question could not be answered, which ends the cycle.
  virtual Verdict Filter(const Cycle& cycle, model::NodeMask& nodes) const = 0;
  // Judges one node, with reasons: Success exactly if Filter leaves `node` in. Asked when a failure
  // must be explained, and when trying out what a node would be like with other pods on it.
  virtual Verdict Explain(const Cycle& cycle, model::NodeRow node) const = 0;
  // Tells users in a sentence what the reasons leave out: which pod, which domain or which claim
  // keeps the pod off `node`, which Explain rejected. Empty if the reasons say it all.
  virtual std::string Details(const Cycle&, model::NodeRow) const { return ""; }
  virtual Scope filter_scope() const { return Scope::kCluster; }
};

struct Nomination {
  // Keep what the pod has, or replace it (an invalid node clears it).
  bool replace = false;
  Symbol node;
};

struct PostFilterResult {
  Verdict verdict;
  Nomination nomination;
  std::vector<model::PodId> victims;  // Pods to be evicted from the nominated node.
};

struct FailedCycle;

// PostFilter: what can be done about a pod that fits nowhere? (Preemption.) A task, because
// extenders may have to be asked.
class PostFilterPlugin : public virtual Plugin {
 public:
  virtual Task<PostFilterResult> PostFilter(FailedCycle& failed) const = 0;
};

// PreScore: prepares scoring. Skip takes the plugin's Score out of this cycle.
class PreScorePlugin : public virtual Plugin {
 public:
  virtual Verdict PreScore(Cycle& cycle, const model::NodeMask& feasible) const = 0;
};

class ScorePlugin : public virtual Plugin {
 public:
  static constexpr int64_t kMaxScore = 100;

  // Writes out[row] for each row of `nodes`.
  virtual Verdict Score(const Cycle& cycle, const model::NodeMask& nodes,
                        std::span<int64_t> out) const = 0;

  // True if scores must pass through Normalize before they are in 0..100.
  virtual bool normalizes() const { return false; }
  // Brings scores[row], for the rows of `feasible`, into 0..100. Looks at all feasible nodes at
  // once; nodes with equal scores stay equal, and if all scores are equal the result depends on
  // that score only.
  virtual void Normalize(const Cycle&, const model::NodeMask& /*feasible*/,
                         std::span<int64_t> /*scores*/) const {}

  // Adds `weight` times the final score of each node to its total, all rows at once, and returns
  // true; or false, if Score and Normalize are to be asked. The feasible nodes are those whose
  // totals are not negative: others have no say, and what is added to them does not matter. The
  // result is that of the ordinary way. `scratch` is as long as `totals`.
  virtual bool AddScores(const Cycle&, int32_t /*weight*/, std::span<int32_t> /*totals*/,
                         std::span<int32_t> /*scratch*/) const {
    return false;
  }

  // With Scope::kNode, Score is also called for nodes that only later filters reject.
  virtual Scope score_scope() const { return Scope::kCluster; }
  // For Scope::kNode: a number that changes whenever scores of unchanged rows may have changed.
  virtual uint64_t score_epoch(const model::Cluster&) const { return 0; }
};

// Reserve: notes that the pod will run on `node`. Unreserve takes it back, and is called for all
// Reserve plugins, in reverse order, if anything later fails.
class ReservePlugin : public virtual Plugin {
 public:
  virtual Verdict Reserve(Cycle& cycle, model::NodeRow node) const = 0;
  virtual void Unreserve(Cycle& cycle, model::NodeRow node) const = 0;
};

struct PermitResult {
  Verdict verdict;   // Success, Wait or a rejection.
  Duration timeout;  // Of Wait.
};

class WaitingPods;

// Permit: last word before binding. Wait holds the pod back until the plugin allows it (through
// `waiting`, when asked about another pod, or by an event from outside) or rejects it, or the time
// is up.
class PermitPlugin : public virtual Plugin {
 public:
  virtual PermitResult Permit(Cycle& cycle, model::NodeRow node, WaitingPods& waiting) const = 0;
};

struct PreBindPlan {
  Verdict verdict;  // Success if there is work, Skip if there is none.
  bool may_run_in_parallel = false;
};

class BindingContext;

// PreBind: writes what must be written before the pod is bound (volumes, claims).
class PreBindPlugin : public virtual Plugin {
 public:
  // Says whether there is anything to do.
  virtual PreBindPlan PreBindPreFlight(const Cycle& cycle, model::NodeRow node) const = 0;
  // Does it. The binding goes on when the task ends with Success.
  virtual Task<Verdict> PreBind(BindingContext& binding) const = 0;
};

// Bind: binds the pod to its node. Skip leaves it to the next binder.
class BindPlugin : public virtual Plugin {
 public:
  virtual Task<Verdict> Bind(BindingContext& binding) const = 0;
};

// PostBind: told that the pod is bound.
class PostBindPlugin : public virtual Plugin {
 public:
  virtual void PostBind(const BindingContext& binding) const = 0;
};

}  // namespace berth::scheduler::framework
