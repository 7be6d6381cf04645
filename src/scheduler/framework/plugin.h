// Plugin is one scheduling rule, which takes part at one or more extension points.
//
// A plugin class derives from Plugin through its roles (FilterPlugin, ScorePlugin, ...). Plugins
// are immutable after construction; what they compute is stored with the pod class (ClassState) or
// the cycle (CycleState; see cycle.h). All calls come from the engine thread, except those of
// Scope::kNode.
//
// A filter lists the conditions that a node must meet (conditions.h); scores get sets of nodes, so
// that a rule is one loop over columns. A rule that is simpler for one node at a time derives from
// NodeFilter or NodeScorer.
#pragma once

#include <cstdint>
#include <map>
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
#include "scheduler/framework/conditions.h"
#include "scheduler/framework/rating.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::api {
struct AllocationResult;
}
namespace berth::scheduler::model {
class Cluster;
struct PodClass;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::framework {

class BindingContext;
class ClassState;
class Cycle;
struct FailedCycle;
struct SearchRules;
class WaitingPods;
enum class Described : uint8_t;

// A set of plugins of one profile, by slot. Two bits are left for rejectors that are not plugins.
using PluginMask = uint64_t;
inline constexpr size_t kMaxPlugins = 62;

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;

  // Derives what the plugin needs to know about all pods of a class. Called once per class.
  virtual std::unique_ptr<ClassState> Compile(model::Cluster&, const model::PodClass&) const;

  // Returns the events that may make a pod schedulable which this plugin rejected. By default:
  // every event.
  virtual std::vector<ClusterEventWithHint> EventsToRegister() const;
  // Reports whether `event`, which one of the plugin's conditional registrations covers, may make
  // `pod` schedulable. Depends on the pod's class, its labels, its identity (for events about the
  // pod itself and about its ephemeral volumes) and the cluster. After an error the pod is tried.
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

inline bool Contains(PluginMask mask, const Plugin& plugin) { return (mask >> plugin.slot()) & 1; }
inline PluginMask MaskOf(const Plugin& plugin) { return PluginMask{1} << plugin.slot(); }

// What the result for a node depends on.
enum class Scope : uint8_t {
  // The pod's class and that node's row, nothing else; the same holds for PreFilter and PreScore.
  // Results are cached and recomputed only for rows that changed; if many did, on several threads
  // at once, each with rows of its own, after one call with an empty mask.
  kNode,
  // Anything; computed in every cycle.
  kCluster,
};

// What the result of a filter for a node depends on, besides the pod's class. Unless it is the
// whole cluster, results are cached as those of Scope::kNode.
enum class Reads : uint8_t {
  kNodeAlone,  // What the node is, without its pods.
  kSums,       // Also the sums of what its pods request, and their number. No node passes because
               // they are larger.
  kNode,       // Anything about the node and its pods.
  kCluster,    // Anything.
};

// PreEnqueue: decides whether the pod may enter the active queue.
class PreEnqueuePlugin : public virtual Plugin {
 public:
  virtual Verdict PreEnqueue(const model::Cluster& cluster, const model::PodRecord& pod) const = 0;
  // Reports whether the verdict is the same for all copies of a pod in a group of pods, so that one
  // is asked for all.
  virtual bool GatesGroups() const { return false; }
};

// A waiting pod as the QueueSort plugin sees it.
struct QueuedPod {
  model::PodId pod;
  int32_t priority = 0;
  Instant timestamp;      // When it entered the queue, or came back to it.
  uint64_t sequence = 0;  // Distinguishes pods of the same instant: earlier ones are lower.
};

// QueueSort: orders the queue. Exactly one per profile, the same for all profiles.
class QueueSortPlugin : public virtual Plugin {
 public:
  virtual bool Less(const QueuedPod& a, const QueuedPod& b) const = 0;
};

struct PreFilterResult {
  Verdict verdict;
  // The only nodes to evaluate, by name, sorted; all if absent.
  std::optional<std::vector<Symbol>> nodes;
};

// PreFilter: prepares filtering, rejects the pod as a whole, or restricts it to some nodes. Skip
// disables the plugin's Filter in this cycle.
class PreFilterPlugin : public virtual Plugin {
 public:
  virtual PreFilterResult PreFilter(Cycle& cycle) const = 0;

  // Notifies the plugin, in a dry run, that `pod` now counts, or no longer counts, as running on
  // `node`. The cluster has changed already; this updates the plugin's cycle state.
  virtual void PodAdded(Cycle&, const model::PodRecord& /*pod*/, model::NodeRow /*node*/) const {}
  virtual void PodRemoved(Cycle&, const model::PodRecord& /*pod*/, model::NodeRow /*node*/) const {}
};

// Filter: rejects nodes.
class FilterPlugin : public virtual Plugin {
 public:
  // Returns what the plugin requires of a node in this cycle.
  virtual Conditions Require(const Cycle& cycle) const = 0;
  virtual Reads reads() const { return Reads::kCluster; }
  // Returns a sentence for users about what the reasons leave out: which pod, which domain or which
  // claim keeps the pod off `node`, which does not meet the conditions. Empty if there is nothing
  // to add.
  virtual std::string Details(const Cycle&, model::NodeRow) const { return ""; }

  // Interpretations of the conditions.
  Verdict Filter(const Cycle& cycle, model::NodeMask& nodes) const {
    return framework::Filter(Require(cycle), cycle, nodes);
  }
  Verdict Judge(const Cycle& cycle, model::NodeRow node) const {
    return framework::Judge(Require(cycle), cycle, node);
  }
};

// A filter whose rule is simplest as a function of one node.
class NodeFilter : public FilterPlugin {
 public:
  // Returns Success if the pod may run on `node`; otherwise a rejection with its reasons, or Error.
  virtual Verdict FilterNode(const Cycle& cycle, model::NodeRow node) const = 0;
  // Clears from `nodes` those that the pod may not run on. Fails if FilterNode does for one.
  virtual Verdict FilterNodes(const Cycle& cycle, model::NodeMask& nodes) const;

  // By default every node is evaluated.
  Conditions Require(const Cycle&) const override {
    return {Opaque{.filter = this, .evaluates_all = true}};
  }
};

// A filter that chooses devices for the pod's claims.
class DeviceFilter : public virtual Plugin {
 public:
  // Returns the devices that the pod's claims would get on `node`, which passes, by the name of the
  // claim: of those that have none yet. For explanations.
  virtual std::map<std::string, api::AllocationResult> Allocations(const Cycle& cycle,
                                                                   model::NodeRow node) const = 0;
};

struct Nomination {
  // Replace the pod's nominated node (an invalid one clears it), or leave it.
  bool replace = false;
  Symbol node;
};

struct PostFilterResult {
  Verdict verdict;
  Nomination nomination;
  std::vector<model::PodId> victims;  // Pods to be evicted from the nominated node.
};

// PostFilter: tries to make a pod schedulable that fits on no node (preemption). A task, because
// extenders may have to be called.
class PostFilterPlugin : public virtual Plugin {
 public:
  virtual Task<PostFilterResult> PostFilter(FailedCycle& failed) const = 0;
};

// PreScore: prepares scoring. Skip disables the plugin's Score in this cycle.
class PreScorePlugin : public virtual Plugin {
 public:
  virtual Verdict PreScore(Cycle& cycle, const model::NodeMask& feasible) const = 0;
};

class ScorePlugin : public virtual Plugin {
 public:
  static constexpr int64_t kMaxScore = 100;

  // Returns how the plugin rates nodes in this cycle. A plugin that says so overrides none of the
  // functions below but scale, score_scope and score_epoch.
  virtual Rating Rate(const Cycle&) const { return Unrated{}; }
  // How scores are mapped to 0..100.
  virtual Scale scale() const { return Scale::kNone; }

  // Writes out[row] for each row of `nodes`.
  virtual Verdict Score(const Cycle& cycle, const model::NodeMask& nodes,
                        std::span<int64_t> out) const;

  // Maps scores[row], for the rows of `feasible`, to 0..100. Nodes with equal scores stay equal,
  // and if all scores are equal the result depends on that score only.
  virtual void Normalize(const Cycle&, const model::NodeMask& feasible,
                         std::span<int64_t> scores) const {
    framework::Normalize(scale(), feasible, scores);
  }

  // Adds `weight` times the final score of each node to its total, all rows at once, and returns
  // true; or returns false, and Score and Normalize are called instead, with the same result. The
  // feasible nodes are those whose totals are not negative: the others do not influence scores, and
  // what is added to them does not matter. `scratch` is as long as `totals`.
  virtual bool AddScores(const Cycle&, int32_t /*weight*/, std::span<int32_t> /*totals*/,
                         std::span<int32_t> /*scratch*/) const {
    return false;
  }

  // Reports whether the final score of every feasible node is 0 in this cycle, so that Score need
  // not be called. Asked of plugins of Scope::kCluster.
  virtual bool AllScoresAreZero(const Cycle&) const { return false; }

  // With Scope::kNode, Score is also called for nodes that only later filters reject.
  virtual Scope score_scope() const { return Scope::kCluster; }
  // For Scope::kNode: a number that changes whenever scores of unchanged rows may have changed.
  virtual uint64_t score_epoch(const model::Cluster&) const { return 0; }

  // Adds to `rules` how Score rates nodes in this cycle, with the plugin's weight: see
  // search_rules.h. Called before PreScore, if Rate does not say it. By default every node must be
  // evaluated.
  virtual Described DescribeScore(const Cycle& cycle, int32_t weight, SearchRules& rules) const;
  // Returns what Score would write for `node`. Called for few nodes, if the plugin is among the
  // scorers of the rules.
  virtual int64_t ScoreOneNode(const Cycle& cycle, model::NodeRow node) const;
};

// Reserve: records that the pod will run on `node`. Unreserve reverts it, and is called for all
// Reserve plugins, in reverse order, if a later step fails.
class ReservePlugin : public virtual Plugin {
 public:
  virtual Verdict Reserve(Cycle& cycle, model::NodeRow node) const = 0;
  virtual void Unreserve(Cycle& cycle, model::NodeRow node) const = 0;
};

struct PermitResult {
  Verdict verdict;   // Success, Wait or a rejection.
  Duration timeout;  // Of Wait.
};

// Permit: the last check before binding. Wait delays the pod until the plugin allows it (through
// `waiting`, when called for another pod, or by an event from outside) or rejects it, or the
// timeout expires.
class PermitPlugin : public virtual Plugin {
 public:
  virtual PermitResult Permit(Cycle& cycle, model::NodeRow node, WaitingPods& waiting) const = 0;
};

struct PreBindPlan {
  Verdict verdict;  // Success if there is work, Skip if there is none.
  bool may_run_in_parallel = false;
};

// PreBind: makes the API writes that must precede the binding (volumes, claims).
class PreBindPlugin : public virtual Plugin {
 public:
  // Reports whether there is anything to do.
  virtual PreBindPlan PreBindPreFlight(const Cycle& cycle, model::NodeRow node) const = 0;
  // Does it. The binding goes on when the task ends with Success.
  virtual Task<Verdict> PreBind(BindingContext& binding) const = 0;
};

// Bind: binds the pod to its node. Skip leaves it to the next Bind plugin.
class BindPlugin : public virtual Plugin {
 public:
  virtual Task<Verdict> Bind(BindingContext& binding) const = 0;
};

// PostBind: is notified that the pod is bound.
class PostBindPlugin : public virtual Plugin {
 public:
  virtual void PostBind(const BindingContext& binding) const = 0;
};

// A scorer that rates one node at a time.
class NodeScorer : public ScorePlugin {
 public:
  // Returns the score of `node`: in 0..100, or any number if the plugin has a scale.
  virtual int64_t ScoreNode(const Cycle& cycle, model::NodeRow node) const = 0;

  Verdict Score(const Cycle& cycle, const model::NodeMask& nodes,
                std::span<int64_t> out) const final;
};

}  // namespace berth::scheduler::framework
