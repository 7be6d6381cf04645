#include "scheduler/plugins/node_declared_features.h"

#include <algorithm>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/plugins/changed_object.h"

namespace berth::scheduler::plugins {
namespace {

// The node declares all features that the pod needs.
struct RequiredFeatures final : framework::ClassState, framework::NodePredicate {
  explicit RequiredFeatures(SymbolTable& table) : symbols(table) {}

  SymbolHolder symbols;
  std::vector<Symbol> names;  // Sorted.

  bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override {
    return std::ranges::includes(cycle.nodes().info(node).declared_features, names);
  }
  bool AppendKey(const framework::Cycle& cycle, std::string& key) const override {
    model::KeyWriter writer(key);
    writer.Put(names.size());
    for (Symbol name : names) writer.Put(cycle.cluster().symbols().Text(name));
    return true;
  }
};

bool RestartsAllContainers(const api::PodSpec& spec) {
  auto asks = [](const api::Container& container) {
    return std::ranges::count(container.restart_policy_rule_actions, "RestartAllContainers") > 0;
  };
  return std::ranges::any_of(spec.containers, asks) ||
         std::ranges::any_of(spec.init_containers, asks);
}

std::vector<std::string_view> FeaturesNeededBy(const api::PodSpec& spec) {
  std::vector<std::string_view> features;
  if (RestartsAllContainers(spec)) features.push_back("RestartAllContainersOnContainerExits");
  if (spec.host_network && spec.host_users == false) {
    features.push_back("UserNamespacesHostNetworkSupport");
  }
  return features;
}

}  // namespace

std::unique_ptr<framework::ClassState> NodeDeclaredFeatures::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<RequiredFeatures>(cluster.mutable_symbols());
  if (!cluster.features().node_declared_features) return state;
  for (std::string_view feature : FeaturesNeededBy(pod_class.spec())) {
    state->names.push_back(state->symbols.Intern(feature));
  }
  std::ranges::sort(state->names);
  return state;
}

framework::PreFilterResult NodeDeclaredFeatures::PreFilter(framework::Cycle& cycle) const {
  if (cycle.compiled<RequiredFeatures>(*this).names.empty())
    return {framework::Verdict::Skip(), {}};
  return {};
}

framework::Conditions NodeDeclaredFeatures::Require(const framework::Cycle& cycle) const {
  return {framework::NodeClass{
      .is = &cycle.compiled<RequiredFeatures>(*this),
      .rejection = framework::Rejection{framework::Code::kUnschedulableAndUnresolvable,
                                        "node(s) didn't match Pod's required features"}}};
}

std::vector<framework::ClusterEventWithHint> NodeDeclaredFeatures::EventsToRegister() const {
  return {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeDeclaredFeature}},
          {{framework::Resource::kPod, framework::kUpdate}}};
}

Result<bool> NodeDeclaredFeatures::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                                const framework::ClusterEvent& event) const {
  if (KindOf(event) == framework::Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    if (!IsSamePod(pod, *other->after)) return false;
    return other->before == nullptr ||
           FeaturesNeededBy(other->before->spec) != FeaturesNeededBy(other->after->spec);
  }
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  return node->before == nullptr ||
         node->before->status.declared_features != node->after->status.declared_features;
}

}  // namespace berth::scheduler::plugins
