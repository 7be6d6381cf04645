// Cycle is one attempt to find a node for one pod, as plugins see it: the cluster, the pod, and
// what the plugins noted about the pod so far.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/writes.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

// What a plugin derives from a pod's class alone. Made once per class by Plugin::Compile, then
// shared by all cycles of that class; immutable.
class ClassState {
 public:
  virtual ~ClassState() = default;
};

// What a plugin notes during one cycle.
class CycleState {
 public:
  virtual ~CycleState() = default;
  // A copy to try things out on: filters are asked what would be if some pods came or went.
  virtual std::unique_ptr<CycleState> Clone() const = 0;
};

using ClassStates = std::vector<std::unique_ptr<const ClassState>>;  // By plugin slot.
using CycleStates = std::vector<std::unique_ptr<CycleState>>;        // By plugin slot.

class Cycle {
 public:
  // All three must outlive the cycle. `compiled` has an entry for each plugin of the pod's profile.
  Cycle(model::Cluster& cluster, const model::PodRecord& pod, const ClassStates& compiled)
      : cluster_(cluster),
        pod_(pod),
        class_(cluster.class_of(pod)),
        compiled_(compiled),
        states_(compiled.size()) {}

  const model::Cluster& cluster() const { return cluster_; }
  // For Reserve and Unreserve: what they decide is part of the model.
  model::Cluster& mutable_cluster() { return cluster_; }
  const model::NodeTable& nodes() const { return cluster_.nodes(); }
  const model::PodRecord& pod() const { return pod_; }
  const model::PodClass& pod_class() const { return class_; }
  const api::PodSpec& spec() const { return class_.spec(); }

  // What `plugin` compiled for the pod's class; it must have.
  template <typename State>
  const State& compiled(const Plugin& plugin) const {
    return static_cast<const State&>(*compiled_[plugin.slot()]);
  }

  // What `plugin` noted in this cycle; it must have.
  template <typename State>
  State& state(const Plugin& plugin) const {
    return static_cast<State&>(*states_[plugin.slot()]);
  }
  bool has_state(const Plugin& plugin) const { return states_[plugin.slot()] != nullptr; }
  void SetState(const Plugin& plugin, std::unique_ptr<CycleState> state) {
    states_[plugin.slot()] = std::move(state);
  }

  // Asks that `pod`, which waits, be tried as soon as this cycle, or the binding that follows it,
  // is done.
  void Activate(model::PodId pod) { to_activate_.push_back(pod); }
  std::vector<model::PodId> TakeActivated() { return std::exchange(to_activate_, {}); }

  // Copies all notes, and puts copies back in their place.
  CycleStates CloneStates() const;
  void ReplaceStates(CycleStates states) { states_ = std::move(states); }

 private:
  model::Cluster& cluster_;
  const model::PodRecord& pod_;
  const model::PodClass& class_;
  const ClassStates& compiled_;
  CycleStates states_;
  std::vector<model::PodId> to_activate_;
};

// Adapters for rules that are simplest to say about one node: derive from NodeFilter or NodeScorer
// instead of FilterPlugin or ScorePlugin, and the set-at-a-time form follows.
class NodeFilter : public FilterPlugin {
 public:
  // Success if the pod may run on `node`; a rejection with its reasons, or Error, if not.
  virtual Verdict FilterNode(const Cycle& cycle, model::NodeRow node) const = 0;

  Verdict Filter(const Cycle& cycle, model::NodeMask& nodes) const final;
  Verdict Explain(const Cycle& cycle, model::NodeRow node) const final {
    return FilterNode(cycle, node);
  }
};

class NodeScorer : public ScorePlugin {
 public:
  // The score of `node`: in 0..100, or anything if the plugin normalizes.
  virtual int64_t ScoreNode(const Cycle& cycle, model::NodeRow node) const = 0;

  Verdict Score(const Cycle& cycle, const model::NodeMask& nodes,
                std::span<int64_t> out) const final;
};

// BindingContext is what PreBind, Bind and PostBind plugins work with: the pod, its node, and a way
// to ask for API writes and wait for their result, or for time to pass.
class BindingContext : public Async {
 public:
  virtual Cycle& cycle() = 0;
  virtual model::NodeRow node() const = 0;
  // True once a more important pod has taken the room: whoever waits for something should give up.
  virtual bool cancelled() const = 0;
};

}  // namespace berth::scheduler::framework
