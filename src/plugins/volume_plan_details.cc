// What VolumeBinding tells users about a node that it rejected.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cluster/volume_claims.h"
#include "plugins/volume_plan.h"
#include "plugins/wording.h"

namespace berth {
namespace {

// claim "data" (5Gi)
std::string Named(const api::PersistentVolumeClaim& claim) {
  const std::string size = SizeOf(claim);
  return fmt::format("claim \"{}\"{}", claim.metadata.name,
                     size.empty() ? "" : fmt::format(" ({})", size));
}

// allowedTopologies as a node selector.
api::NodeSelector AsNodeSelector(const std::vector<api::TopologySelectorTerm>& allowed) {
  api::NodeSelector selector;
  for (const api::TopologySelectorTerm& term : allowed) {
    api::NodeSelectorTerm& same = selector.terms.emplace_back();
    for (const auto& expression : term.match_label_expressions) {
      same.match_expressions.push_back({expression.key, "In", expression.values});
    }
  }
  return selector;
}

bool Contains(const std::vector<Storage::ClaimRef>& claims, const Storage::ClaimRef& claim) {
  return std::ranges::find(claims, claim) != claims.end();
}

}  // namespace

std::string VolumePlan::DetailsFor(NodeRow node) const {
  std::string bound = DetailsOfBound(node);
  std::string waiting = DetailsOfWaiting(node);
  return bound.empty() || waiting.empty() ? bound + waiting : bound + "; " + waiting;
}

std::string VolumePlan::DetailsOfBound(NodeRow node) const {
  for (const auto& [claim, volume] : bound_) {
    const std::string& name = claim->metadata.name;
    if (volume == nullptr) {
      return fmt::format("claim \"{}\" is bound to volume {}, which does not exist", name,
                         claim->volume_name);
    }
    if (IsReachable(cluster_, *volume, node).value_or(true)) continue;
    const api::PersistentVolume& object = *volume->object;
    const std::string text =
        fmt::format("claim \"{}\" is bound to volume {}, which the node cannot reach", name,
                    object.metadata.name);
    if (!object.node_affinity) return text;
    return fmt::format("{}: the volume {}", text,
                       WhyNoTermMatches(*object.node_affinity,
                                        cluster_.nodes().info(node).object->metadata.labels, ""));
  }
  return "";
}

std::string VolumePlan::DetailsOfWaiting(NodeRow node) const {
  std::vector<const Waiting*> in_order;
  for (const Waiting& waiting : waiting_) {
    if (waiting.selected_node == nullptr) continue;
    if (*waiting.selected_node != cluster_.nodes().name(node)) {
      return fmt::format("the volume for {} is being made on node {}", Named(*waiting.claim),
                         *waiting.selected_node);
    }
    in_order.push_back(&waiting);
  }
  std::ranges::copy(by_size_, std::back_inserter(in_order));
  const OnNode placed = For(node);
  for (const Waiting* waiting : in_order) {
    const bool bound = std::ranges::find(placed.bindings, waiting->claim, &Binding::claim) !=
                       placed.bindings.end();
    // The first claim that gets no volume is where the plan ended.
    if (!bound && !Contains(placed.provisions, waiting->claim)) return WhyNotMade(*waiting, node);
  }
  return "";
}

std::string VolumePlan::WhyNotMade(const Waiting& waiting, NodeRow node) const {
  const api::StorageClass& storage_class = *waiting.storage_class->object;
  const std::string& name = storage_class.metadata.name;
  const std::string none = fmt::format(
      "no free volume of class \"{}\" for {} is within reach, and ", name, Named(*waiting.claim));
  const std::string& provisioner = storage_class.provisioner;
  if (provisioner.empty() || provisioner == "kubernetes.io/no-provisioner") {
    return none + "the class makes none";
  }
  const api::StringMap& labels = cluster_.nodes().info(node).object->metadata.labels;
  const auto& allowed = waiting.storage_class->allowed;
  if (allowed && !allowed->Match(cluster_.nodes().info(node).labels, cluster_.symbols())) {
    return none + "the class makes none here: it " +
           WhyNoTermMatches(AsNodeSelector(storage_class.allowed_topologies), labels, "");
  }
  if (waiting.roomy && !waiting.roomy->Test(node.index())) {
    return none + fmt::format("{} has no room here to make one", provisioner);
  }
  return "";
}

}  // namespace berth
