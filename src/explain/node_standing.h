// NodeStanding is how far a node is from holding a pod: everything that keeps the pod off it, and
// how lasting that is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/node.h"
#include "api/pod.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/pod_fit.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {

// The nearer to holding the pod, the smaller.
enum class Distance : uint8_t {
  kRoom,      // It suits the pod and is open to it, but other pods are in the way.
  kClosed,    // It suits the pod, but is cordoned, or has a taint that the pod does not tolerate.
  kUnsuited,  // Neither the removal of pods nor that of taints helps.
};

struct NodeStanding {
  const api::Node* node = nullptr;
  scheduler::model::NodeRow row;
  Distance distance = Distance::kRoom;
  std::vector<scheduler::framework::Verdict> rejections;  // Of all plugins, in their order.
  // What the plugin `detailed_by` says about the node: the one whose verdict ended the filtering.
  std::string_view details, detailed_by;

  bool IsRejectedBy(std::string_view plugin) const;
  // Reports whether nothing but cordons and taints keeps the pod off.
  bool IsOnlyClosed() const;
};

// Returns the standing of every node that rejects the pod, by name. `fit` is Engine::Evaluate's
// account of the pod on all nodes, `explanation` that of the cycle, which must outlive the result.
std::vector<NodeStanding> StandingsOf(const scheduler::model::Cluster& cluster,
                                      scheduler::engine::PodFit fit,
                                      const scheduler::engine::Explanation& explanation);

}  // namespace berth::explain
