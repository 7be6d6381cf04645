// The rules that look at a node and the pod alone: NodeUnschedulable, NodeName, TaintToleration,
// NodeAffinity, NodePorts and NodeDeclaredFeatures.
#pragma once

#include <memory>

#include "scheduler/reference/rule.h"

namespace berth::scheduler::reference {

std::unique_ptr<Rule> MakeNodeUnschedulable(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeName(const EvaluationInput& input);
std::unique_ptr<Rule> MakeTaintToleration(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeAffinity(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodePorts(const EvaluationInput& input);
std::unique_ptr<Rule> MakeNodeDeclaredFeatures(const EvaluationInput& input);

// What the spread rule shares with these:

// True if a NoSchedule or NoExecute taint of the node is not tolerated by the pod.
bool HasUntoleratedTaint(const api::Node& node, const api::Pod& pod);
// True if the node meets the pod's node selector and required node affinity. A term that does not
// parse never matches.
bool MatchesNodeAffinity(const api::Node& node, const api::Pod& pod);

// ImageLocality likes nodes that have the pod's images already, large and widespread ones most.
std::unique_ptr<Rule> MakeImageLocality(const EvaluationInput& input);

}  // namespace berth::scheduler::reference
