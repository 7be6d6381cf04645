// The rules of the reference implementation, one per plugin, and the helpers that they share.
#pragma once

#include <memory>
#include <vector>

#include "api/selector.h"
#include "scheduler/framework/scores.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/rule.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

// Rules that depend only on the node and the pod.
std::unique_ptr<Rule> MakeNodeUnschedulable(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeName(const EvaluationInput& input);
std::unique_ptr<Rule> MakeTaintToleration(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeAffinity(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodePorts(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeDeclaredFeatures(const EvaluationInput& input);
std::unique_ptr<Rule> MakeImageLocality(const EvaluationInput& input);

// Rules about amounts of resources.
std::unique_ptr<Rule> MakeNodeResourcesFit(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeResourcesBalancedAllocation(const EvaluationInput& input);

// Rules about the pods of a topology domain.
std::unique_ptr<Rule> MakePodTopologySpread(const EvaluationInput& input);
std::unique_ptr<Rule> MakeInterPodAffinity(const EvaluationInput& input);

// Rules about volumes.
std::unique_ptr<Rule> MakeVolumeRestrictions(const EvaluationInput& input);
std::unique_ptr<Rule> MakeVolumeZone(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeVolumeLimits(const EvaluationInput& input);
std::unique_ptr<Rule> MakeVolumeBinding(const EvaluationInput& input);

// Devices.
std::unique_ptr<Rule> MakeDynamicResources(const EvaluationInput& input);

// Reports whether some toleration of the pod matches the taint.
bool ToleratesTaint(const api::Pod& pod, const api::Taint& taint, const model::Features& features);
// Reports whether the pod does not tolerate a NoSchedule or NoExecute taint of the node.
bool HasUntoleratedTaint(const api::Node& node, const api::Pod& pod,
                         const model::Features& features);
// Reports whether the node matches the pod's node selector and required node affinity. A term that
// does not parse never matches.
bool MatchesNodeAffinity(const api::Node& node, const api::Pod& pod);

// Returns the combined selector of the pod's services and its controller: the pods that count as
// its replicas when it has no spread constraints. Selects everything if there are none.
api::Selector OwnerSelector(const Snapshot& snapshot, const api::Pod& pod);

// Interpolates the shape linearly, flat before the first and after the last point.
int64_t ValueAt(const std::vector<framework::ShapePoint>& shape, int64_t x);

}  // namespace berth::scheduler::reference
