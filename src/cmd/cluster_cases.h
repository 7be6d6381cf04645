// Runs the cases that hold a cluster and a pod (or several) through a fresh engine each: the engine
// explains what would become of the pod, then decides.
#pragma once

#include "base/result.h"
#include "cmd/comparison.h"
#include "cmd/json_fields.h"
#include "framework/registry.h"

namespace berth {

class ClusterCases {
 public:
  ClusterCases(CompareOptions compare, bool paranoid);

  // One pod: what becomes of it, node by node. Fails, like the others, if the row is not as the
  // format says.
  Result<Differences> RunPod(JsonFields::Value row);
  // One pod in a big cluster: sums, and some nodes in full.
  Result<Differences> RunDigest(JsonFields::Value row);
  // Many pods, each placed where the case says before the next is asked about.
  Result<Differences> RunSequence(JsonFields::Value row);

 private:
  CompareOptions compare_;
  bool paranoid_;
  Registry registry_;
};

}  // namespace berth
