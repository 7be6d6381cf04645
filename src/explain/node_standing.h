// NodeStanding is how far a node is from holding a pod: everything that keeps the pod off it, and
// how lasting that is.
#pragma once

#include <cstdint>
#include <functional>
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

// Returns the account of the cycle, with what plugins say about each node. It costs more than all
// else: few sentences need it.
using CycleAccount = std::function<const scheduler::engine::Explanation&()>;

struct NodeStanding {
  const api::Node* node = nullptr;
  scheduler::model::NodeRow row;
  Distance distance = Distance::kRoom;
  std::vector<scheduler::framework::Verdict> rejections;  // Of all plugins, in their order.
  std::string taints;  // That the pod does not tolerate: "a=b:NoSchedule, c:NoExecute".
  const CycleAccount* account = nullptr;

  bool IsRejectedBy(std::string_view plugin) const;
  // What the plugin says about the node whose verdict ended the filtering; empty if it is another
  // one than `plugin`, unless that is empty.
  std::string_view DetailsBy(std::string_view plugin) const;
  // Reports whether nothing but cordons and taints keeps the pod off.
  bool IsOnlyClosed() const;
};

// Returns the standing of every node that rejects the pod, by name. `fit` is what Engine::Evaluate
// says about the pod on all nodes. `account` must outlive the result.
std::vector<NodeStanding> StandingsOf(const scheduler::model::Cluster& cluster, const api::Pod& pod,
                                      scheduler::engine::PodFit fit, const CycleAccount& account);

}  // namespace berth::explain
