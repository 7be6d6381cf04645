// Cycle is one attempt to find a node for one pod, as plugins see it: the cluster, the pod, and the
// states that the plugins store for the pod's class and for this attempt.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/time.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/ids.h"

namespace berth::api {
struct PodSpec;
}
namespace berth::scheduler::model {
class NodeTable;
}

namespace berth::scheduler::framework {

class Background;
class Measurements;
struct GroupSearch;

// What a plugin derives from a pod's class alone. Made once per class by Plugin::Compile, then
// shared by all cycles of that class.
//
// Read-only for most plugins (Cycle::compiled). A state that is a cache grows during cycles
// (Cycle::class_cache); a Filter or Score of Scope::kNode, which runs on several threads, may only
// read what the call with an empty mask has added before.
//
// A state that stores symbols has a SymbolHolder.
class ClassState {
 public:
  virtual ~ClassState() = default;
  // The approximate size of what grows with the number of nodes, by which caches are limited.
  virtual size_t bytes() const { return 0; }
};

// What a plugin stores for one cycle.
class CycleState {
 public:
  virtual ~CycleState() = default;
  // Returns a copy for a dry run, in which pods are added and removed.
  virtual std::unique_ptr<CycleState> Clone() const = 0;
};

using ClassStates = std::vector<std::unique_ptr<ClassState>>;  // By plugin slot.
using CycleStates = std::vector<std::unique_ptr<CycleState>>;  // By plugin slot.

class Cycle {
 public:
  // All three must outlive the cycle. `compiled` has an entry for each plugin of the pod's profile.
  Cycle(model::Cluster& cluster, const model::PodRecord& pod, const ClassStates& compiled);

  const model::Cluster& cluster() const { return cluster_; }
  // For Reserve and Unreserve: what they decide is part of the model.
  model::Cluster& mutable_cluster() { return cluster_; }
  const model::NodeTable& nodes() const { return nodes_; }
  const model::PodRecord& pod() const { return pod_; }
  const model::PodClass& pod_class() const { return class_; }
  const api::PodSpec& spec() const;
  // The date at which the attempt began.
  Instant date() const { return date_; }
  void set_date(Instant date) { date_ = date; }
  // Receives what plugins count; null if nothing is measured.
  Measurements* measurements() const { return measurements_; }
  void set_measurements(Measurements* measurements) { measurements_ = measurements; }
  // Runs the writes of Unreserve; null if there is nothing to run, as when explaining.
  Background* background() const { return background_; }
  void set_background(Background* background) { background_ = background; }

  // How the pod's profile searches for nodes for the members of a group; null if not known.
  const GroupSearch* group_search() const { return group_search_; }
  void set_group_search(const GroupSearch* search) { group_search_ = search; }

  // What `plugin` compiled for the pod's class; there must be something.
  template <typename State>
  const State& compiled(const Plugin& plugin) const {
    return static_cast<const State&>(*compiled_[plugin.slot()]);
  }
  // The same, for a state that is a cache: see ClassState.
  template <typename State>
  State& class_cache(const Plugin& plugin) const {
    return static_cast<State&>(*compiled_[plugin.slot()]);
  }

  // What `plugin` stored in this cycle; there must be something.
  template <typename State>
  State& state(const Plugin& plugin) {
    return static_cast<State&>(*states_[plugin.slot()]);
  }
  template <typename State>
  const State& state(const Plugin& plugin) const {
    return static_cast<const State&>(*states_[plugin.slot()]);
  }
  bool has_state(const Plugin& plugin) const { return states_[plugin.slot()] != nullptr; }
  void SetState(const Plugin& plugin, std::unique_ptr<CycleState> state) {
    states_[plugin.slot()] = std::move(state);
  }

  // Requests that `pod`, which waits in the queue, be tried as soon as this cycle, or the binding
  // that follows it, ends.
  void Activate(model::PodId pod) { to_activate_.push_back(pod); }
  std::vector<model::PodId> TakeActivated() { return std::exchange(to_activate_, {}); }

  // Copies all cycle states, and replaces them.
  CycleStates CloneStates() const;
  void ReplaceStates(CycleStates states) { states_ = std::move(states); }

 private:
  model::Cluster& cluster_;
  const model::NodeTable& nodes_;
  const model::PodRecord& pod_;
  const model::PodClass& class_;
  const ClassStates& compiled_;
  CycleStates states_;
  Instant date_;
  Measurements* measurements_ = nullptr;
  Background* background_ = nullptr;
  const GroupSearch* group_search_ = nullptr;
  std::vector<model::PodId> to_activate_;
};

}  // namespace berth::scheduler::framework
