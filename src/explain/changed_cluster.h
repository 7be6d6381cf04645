// ChangedCluster is the cluster of an engine, and the pod in question, with some changes made. It
// counts the decisions that are asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "explain/change.h"
#include "explain/fixes.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/what_if.h"

namespace berth::explain {

// Returns the pod as it is once it is bound to the node.
api::Ref<api::Pod> BoundTo(const api::Pod& pod, const std::string& node);

class ChangedCluster {
 public:
  // `engine` must outlive this and get no event meanwhile.
  ChangedCluster(scheduler::engine::Engine& engine, api::Ref<api::Pod> pod, Instant now)
      : engine_(engine), what_if_(engine), pods_{std::move(pod)}, now_(now) {}

  const scheduler::model::Cluster& cluster() const { return engine_.cluster(); }
  const api::Pod& pod() const { return *pods_.back(); }
  const std::vector<Change>& changes() const { return changes_; }
  size_t decisions() const { return decisions_; }

  void Make(const Change& change);
  // Reverts the last change.
  void Revert();

  // Evaluates the pod on the node, or on all if it is empty.
  scheduler::engine::PodFit Evaluate(const std::string& node);
  // The same for a variant of the pod.
  scheduler::engine::PodFit Evaluate(api::Ref<api::Pod> variant, const std::string& node);

  // Returns the fix that the changes are, if the pod is then placed, or placed after it preempted
  // others, and the pods that are moved find other nodes.
  std::optional<Fix> Verify();

 private:
  std::optional<Fix> FindPlaces(Fix fix);
  std::vector<ObjectName> Obsolete() const;
  // The placed pods of the pod's workload.
  std::vector<api::Ref<api::Pod>> Replicas() const;

  scheduler::engine::Engine& engine_;
  scheduler::engine::WhatIf what_if_;
  std::vector<api::Ref<api::Pod>> pods_;  // After each change.
  std::vector<Change> changes_;
  std::vector<size_t> marks_;  // The size of what_if_ before each change.
  const Instant now_;
  size_t decisions_ = 0;
};

}  // namespace berth::explain
