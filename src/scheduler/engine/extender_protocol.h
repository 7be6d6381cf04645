// What is said to extenders: the JSON bodies of the calls.
//
// Pods and nodes are as the API server has them if their text was kept (api/kept_text.h); else they
// have the fields that Berth reads.
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

// ExtenderArgs, for filter and prioritize alike: the pod, and the nodes it may run on so far. An
// extender that keeps its own cache of nodes gets their names only.
std::string EncodeExtenderArgs(const framework::ExtenderConfig& extender, const api::Pod& pod,
                               std::span<const api::Node* const> nodes);

// ExtenderBindingArgs.
std::string EncodeExtenderBindingArgs(const framework::BindPod& bind);

// The pods that would have to leave a node.
struct ExtenderVictims {
  std::vector<const api::Pod*> pods;
  int64_t budget_violations = 0;
};

// ExtenderPreemptionArgs: the pod, and what preemption would cost on which node. An extender that
// keeps its own cache gets the victims' uids only.
std::string EncodeExtenderPreemptionArgs(
    const framework::ExtenderConfig& extender, const api::Pod& pod,
    const std::map<std::string, ExtenderVictims, std::less<>>& victims_by_node);

// What extenders answer: their JSON, decoded and checked.
//
// Names of fields count in any case, null counts as absent, and unknown fields are ignored. An
// answer that says Error fails with that text; one that is not what it should be fails with the
// extender, the field and the value, for example:
//   extender "http://gpu/api": answer to filter: FailedNodes.n1: expected a string, found 5
using ReasonByNode = std::map<std::string, std::string, std::less<>>;

// ExtenderFilterResult.
struct ExtenderFilterResult {
  std::vector<std::string> nodes;  // Those that pass, as the extender lists them.
  // Why others do not; preemption may help. No node is in both lists.
  ReasonByNode failed;
  ReasonByNode failed_and_unresolvable;
};

// `was_sent` tells whether a node was in the request: none other may pass. An extender that lists
// no nodes at all lets none pass.
// DIFFERS: of returned Node objects, the names count; kube-scheduler puts them in the place of its
// own.
Result<ExtenderFilterResult> DecodeExtenderFilterResult(
    const framework::ExtenderConfig& extender, std::string_view json,
    const std::function<bool(std::string_view node)>& was_sent);

// HostPriority. The score is the extender's own: see Contribution.
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

// MetaVictims: pods by their uids.
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
