// What is said to extenders: the JSON bodies of the calls.
//
// Pods and nodes are as the API server has them if their text was kept (api/kept_text.h); else they
// have the fields that Berth reads.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "api/node.h"
#include "api/pod.h"
#include "framework/extender_config.h"
#include "framework/writes.h"

namespace berth {

// ExtenderArgs, for filter and prioritize alike: the pod, and the nodes it may run on so far. An
// extender that keeps its own cache of nodes gets their names only.
std::string EncodeExtenderArgs(const ExtenderConfig& extender, const api::Pod& pod,
                               std::span<const api::Node* const> nodes);

// ExtenderBindingArgs.
std::string EncodeExtenderBindingArgs(const BindPod& bind);

// The pods that would have to leave a node.
struct ExtenderVictims {
  std::vector<const api::Pod*> pods;
  int64_t budget_violations = 0;
};

// ExtenderPreemptionArgs: the pod, and what preemption would cost on which node. An extender that
// keeps its own cache gets the victims' uids only.
std::string EncodeExtenderPreemptionArgs(
    const ExtenderConfig& extender, const api::Pod& pod,
    const std::map<std::string, ExtenderVictims, std::less<>>& victims_by_node);

}  // namespace berth
