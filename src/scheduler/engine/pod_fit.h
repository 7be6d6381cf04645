// PodFit is what every filter says about a pod on some nodes, where a Diagnosis has the verdict of
// the first filter alone: what would have to change so that the pod fits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "scheduler/framework/verdict.h"

namespace berth::scheduler::framework {
class Attempt;
}

namespace berth::scheduler::engine {

struct NodeFit {
  std::string node;
  bool fits = false;  // With the pods that are nominated to it.
  // PreFilter plugins that excluded the node, then filters that reject it. May be empty although
  // the node does not fit: it would, without the pods that are nominated to it.
  std::vector<framework::Verdict> rejections;
};

struct PodFit {
  framework::Verdict pre_filter;  // By a plugin; unless it is ok, there are no nodes.
  std::vector<NodeFit> nodes;     // In the order asked for, or by row.
};

// Evaluates the pod of `attempt`, which must be new, on the named nodes; on all if there are none.
// `now` is the date.
PodFit EvaluateNodes(framework::Attempt& attempt, std::span<const std::string> nodes, Instant now);

}  // namespace berth::scheduler::engine
