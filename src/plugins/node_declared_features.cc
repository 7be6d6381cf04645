#include "plugins/node_declared_features.h"

#include <algorithm>

#include "framework/cycle.h"

namespace berth {
namespace {

struct RequiredFeatures final : ClassState {
  std::vector<Symbol> names;  // Sorted.

  bool DeclaredBy(const NodeInfo& node) const {
    return std::ranges::includes(node.declared_features, names);
  }
};

bool RestartsAllContainers(const api::PodSpec& spec) {
  auto asks = [](const api::Container& container) {
    return std::ranges::count(container.restart_policy_rule_actions, "RestartAllContainers") > 0;
  };
  return std::ranges::any_of(spec.containers, asks) ||
         std::ranges::any_of(spec.init_containers, asks);
}

}  // namespace

std::unique_ptr<const ClassState> NodeDeclaredFeatures::Compile(Cluster& cluster,
                                                                const PodClass& pod_class) const {
  auto state = std::make_unique<RequiredFeatures>();
  const api::PodSpec& spec = pod_class.spec();
  auto require = [&](std::string_view feature) {
    state->names.push_back(cluster.mutable_symbols().Intern(feature));
  };
  if (RestartsAllContainers(spec)) require("RestartAllContainersOnContainerExits");
  if (spec.host_network && spec.host_users == false) require("UserNamespacesHostNetworkSupport");
  std::ranges::sort(state->names);
  return state;
}

PreFilterResult NodeDeclaredFeatures::PreFilter(Cycle& cycle) const {
  if (cycle.compiled<RequiredFeatures>(*this).names.empty()) return {Verdict::Skip(), {}};
  return {};
}

Verdict NodeDeclaredFeatures::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const auto& required = cycle.compiled<RequiredFeatures>(*this);
  nodes.KeepIf([&](size_t row) {
    return required.DeclaredBy(cycle.nodes().info(NodeRow{static_cast<uint32_t>(row)}));
  });
  return {};
}

Verdict NodeDeclaredFeatures::Explain(const Cycle& cycle, NodeRow node) const {
  if (cycle.compiled<RequiredFeatures>(*this).DeclaredBy(cycle.nodes().info(node))) return {};
  return {Code::kUnschedulableAndUnresolvable, "node(s) didn't match Pod's required features"};
}

}  // namespace berth
