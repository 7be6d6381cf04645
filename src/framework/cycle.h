// Cycle is one attempt to find a node for one pod, as plugins see it: the cluster, the pod, and
// what the plugins noted about the pod so far.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cluster/cluster.h"
#include "framework/plugin.h"

namespace berth {

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
  Cycle(Cluster& cluster, const PodRecord& pod, const ClassStates& compiled)
      : cluster_(cluster),
        pod_(pod),
        class_(cluster.class_of(pod)),
        compiled_(compiled),
        states_(compiled.size()) {}

  const Cluster& cluster() const { return cluster_; }
  // For Reserve and Unreserve: what they decide is part of the model.
  Cluster& mutable_cluster() { return cluster_; }
  const NodeTable& nodes() const { return cluster_.nodes(); }
  const PodRecord& pod() const { return pod_; }
  const PodClass& pod_class() const { return class_; }
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
  void Activate(PodId pod) { to_activate_.push_back(pod); }
  std::vector<PodId> TakeActivated() { return std::exchange(to_activate_, {}); }

  // Copies all notes, and puts copies back in their place.
  CycleStates CloneStates() const;
  void ReplaceStates(CycleStates states) { states_ = std::move(states); }

 private:
  Cluster& cluster_;
  const PodRecord& pod_;
  const PodClass& class_;
  const ClassStates& compiled_;
  CycleStates states_;
  std::vector<PodId> to_activate_;
};

}  // namespace berth
