// The extenders' protocol: the JSON bodies of calls, and the decoded responses. The types are
// upstream's.
//
// Pods and nodes are sent as the API server has them if their raw JSON is known; otherwise with the
// fields that Berth reads.
//
// In responses, names of fields are case-insensitive, null counts as absent, and unknown fields are
// ignored. A response with an Error fails with that text; an invalid one fails with the extender,
// the field and the value, for example: extender "http://gpu/api": answer to filter:
// FailedNodes.n1: expected a string, found 5
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object_fwd.h"
#include "base/result.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::engine {

// ExtenderArgs, for filter and prioritize: the pod, and the nodes that are feasible so far. An
// extender that is nodeCacheCapable gets only their names.
std::string EncodeExtenderArgs(const framework::ExtenderConfig& extender, const api::Pod& pod,
                               std::span<const api::Node* const> nodes);

// ExtenderBindingArgs.
std::string EncodeExtenderBindingArgs(const framework::BindPod& bind);

// The pods to evict from a node.
struct ExtenderVictims {
  std::vector<const api::Pod*> pods;
  int64_t budget_violations = 0;
};

// ExtenderPreemptionArgs: the pod, and the victims on each candidate node. An extender that is
// nodeCacheCapable gets only the victims' uids.
std::string EncodeExtenderPreemptionArgs(
    const framework::ExtenderConfig& extender, const api::Pod& pod,
    const std::map<std::string, ExtenderVictims, std::less<>>& victims_by_node);

using ReasonByNode = std::map<std::string, std::string, std::less<>>;

// ExtenderFilterResult.
struct ExtenderFilterResult {
  std::vector<std::string> nodes;  // Those that pass, in the extender's order.
  // Why others do not pass; preemption may help the first. No node is in both.
  ReasonByNode failed;
  ReasonByNode failed_and_unresolvable;
};

// `was_sent` reports whether a node was in the request: no other may pass. If the extender lists no
// nodes at all, none passes.
// DIFFERS: of returned Node objects only the names are read; kube-scheduler replaces its own with
// them.
Result<ExtenderFilterResult> DecodeExtenderFilterResult(
    const framework::ExtenderConfig& extender, std::string_view json,
    const std::function<bool(std::string_view node)>& was_sent);

// The score is the extender's own: see Contribution.
struct HostPriority {
  std::string host;
  int64_t score = 0;
  friend bool operator==(const HostPriority&, const HostPriority&) = default;
};
Result<std::vector<HostPriority>> DecodeHostPriorityList(const framework::ExtenderConfig& extender,
                                                         std::string_view json);

// ExtenderBindingResult.
Status DecodeExtenderBindingResult(const framework::ExtenderConfig& extender,
                                   std::string_view json);

// Pods by their uids.
struct MetaVictims {
  std::vector<std::string> uids;
  int64_t budget_violations = 0;
  friend bool operator==(const MetaVictims&, const MetaVictims&) = default;
};
using MetaVictimsByNode = std::map<std::string, MetaVictims, std::less<>>;

// ExtenderPreemptionResult.
Result<MetaVictimsByNode> DecodeExtenderPreemptionResult(const framework::ExtenderConfig& extender,
                                                         std::string_view json);

}  // namespace berth::scheduler::engine
