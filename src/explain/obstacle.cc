#include "explain/obstacle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "api/object.h"

namespace berth::explain {

const api::OwnerReference* ControllerOf(const api::ObjectMeta& meta) {
  const auto found = std::ranges::find_if(
      meta.owner_references,
      [](const api::OwnerReference& owner) { return owner.controller.value_or(false); });
  return found == meta.owner_references.end() ? nullptr : &*found;
}

bool IsDaemon(const api::Pod& pod) {
  const api::OwnerReference* owner = ControllerOf(pod.metadata);
  return owner != nullptr && owner->kind == "DaemonSet";
}

bool IsCordonTaint(const api::Taint& taint) {
  return taint.key == "node.kubernetes.io/unschedulable";
}

bool IsSetByControllers(const api::Taint& taint) {
  constexpr std::array<std::string_view, 8> kKeys = {
      "node.kubernetes.io/not-ready",       "node.kubernetes.io/unreachable",
      "node.kubernetes.io/memory-pressure", "node.kubernetes.io/disk-pressure",
      "node.kubernetes.io/pid-pressure",    "node.kubernetes.io/network-unavailable",
      "node.kubernetes.io/out-of-service",  "node.cloudprovider.kubernetes.io/uninitialized"};
  return IsCordonTaint(taint) || std::ranges::find(kKeys, taint.key) != kKeys.end();
}

std::string TextOf(const api::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect);
}

std::string TextOf(const api::LabelSelector& selector) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector.match_labels) {
    parts.push_back(fmt::format("{}={}", key, value));
  }
  for (const api::LabelSelectorRequirement& requirement : selector.match_expressions) {
    parts.push_back(fmt::format("{} {}{}", requirement.key, requirement.op,
                                requirement.values.empty()
                                    ? ""
                                    : fmt::format(" ({})", fmt::join(requirement.values, ", "))));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string TextOf(const api::NodeSelectorRequirement& requirement) {
  std::string text = fmt::format("{} {}", requirement.key, requirement.op);
  if (!requirement.values.empty()) text += fmt::format(" [{}]", fmt::join(requirement.values, " "));
  return text;
}

std::vector<api::Ref<api::Pod>> PodsOn(const scheduler::model::Cluster& cluster,
                                       scheduler::model::NodeRow row) {
  std::vector<api::Ref<api::Pod>> pods;
  for (const scheduler::model::PodId id : cluster.nodes().info(row).pods) {
    pods.push_back(cluster.pod(id).object);
  }
  std::ranges::sort(pods, {}, [](const api::Ref<api::Pod>& pod) {
    return api::ObjectKey{pod->metadata.namespace_, pod->metadata.name};
  });
  return pods;
}

}  // namespace berth::explain
