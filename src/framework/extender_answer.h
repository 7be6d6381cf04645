// What extenders answer: their JSON, decoded and checked.
//
// Names of fields count in any case, null counts as absent, and unknown fields are ignored. An
// answer that says Error fails with that text; one that is not what it should be fails with the
// extender, the field and the value, for example:
//   extender "http://gpu/api": answer to filter: FailedNodes.n1: expected a string, found 5
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"
#include "framework/extender_config.h"
#include "framework/failed_cycle.h"

namespace berth {

using ReasonByNode = std::map<std::string, std::string, std::less<>>;

// ExtenderFilterResult.
struct ExtenderFilterAnswer {
  std::vector<std::string> nodes;  // Those that pass, as the extender lists them.
  // Why others do not; preemption may help. No node is in both lists.
  ReasonByNode failed;
  ReasonByNode failed_and_unresolvable;
};

// `was_sent` tells whether a node was in the request: none other may pass. An extender that lists
// no nodes at all lets none pass.
// DIFFERS: of returned Node objects, the names count; kube-scheduler puts them in the place of its
// own.
Result<ExtenderFilterAnswer> DecodeFilterAnswer(
    const ExtenderConfig& extender, std::string_view json,
    const std::function<bool(std::string_view node)>& was_sent);

// HostPriority. The score is the extender's own: see Contribution.
struct HostPriority {
  std::string host;
  int64_t score = 0;
  friend bool operator==(const HostPriority&, const HostPriority&) = default;
};
Result<std::vector<HostPriority>> DecodePrioritizeAnswer(const ExtenderConfig& extender,
                                                         std::string_view json);

// ExtenderBindingResult.
Status DecodeBindAnswer(const ExtenderConfig& extender, std::string_view json);

// MetaVictims: pods by their uids.
struct MetaVictims {
  std::vector<std::string> uids;
  int64_t budget_violations = 0;
  friend bool operator==(const MetaVictims&, const MetaVictims&) = default;
};
using MetaVictimsByNode = std::map<std::string, MetaVictims, std::less<>>;

// ExtenderPreemptionResult.
Result<MetaVictimsByNode> DecodePreemptAnswer(const ExtenderConfig& extender,
                                              std::string_view json);

// The nodes and pods that an extender's answer means, by name of node. Those must be in `cluster`,
// and the pods on their nodes. A node without victims is an error, or dropped if the extender is
// ignorable.
Result<std::vector<std::pair<NodeRow, PreemptionReport::Victims>>> FindVictims(
    const ExtenderConfig& extender, const MetaVictimsByNode& victims_by_node,
    const Cluster& cluster);

}  // namespace berth
