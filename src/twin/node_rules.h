// The rules that look at a node and the pod alone: NodeUnschedulable, NodeName, TaintToleration,
// NodeAffinity, NodePorts and NodeDeclaredFeatures.
#pragma once

#include <memory>

#include "twin/rule.h"

namespace berth::twin {

std::unique_ptr<Rule> MakeNodeUnschedulable(const Question& question);
std::unique_ptr<Rule> MakeNodeName(const Question& question);
std::unique_ptr<Rule> MakeTaintToleration(const Question& question);
std::unique_ptr<Rule> MakeNodeAffinity(const Question& question);
std::unique_ptr<Rule> MakeNodePorts(const Question& question);
std::unique_ptr<Rule> MakeNodeDeclaredFeatures(const Question& question);

// What the spread rule shares with these:

// True if a NoSchedule or NoExecute taint of the node is not tolerated by the pod.
bool HasUntoleratedTaint(const api::Node& node, const api::Pod& pod);
// True if the node meets the pod's node selector and required node affinity. A term that does not
// parse never matches.
bool MatchesNodeAffinity(const api::Node& node, const api::Pod& pod);

}  // namespace berth::twin
