#include "explain/node_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <variant>

#include "api/json/encode.h"
#include "api/json/writer.h"
#include "api/selector.h"
#include "explain/wording.h"
#include "scheduler/model/features.h"
#include "scheduler/model/objects.h"

namespace berth::explain {
namespace {

constexpr const char* kHostname = "kubernetes.io/hostname";

using NodeRef = api::Ref<api::Node>;

Change ForNode(const api::Node& node, ChangeKind kind, std::string_view what, std::string text) {
  const std::string& name = node.metadata.name;
  return MakeChange(kind, {"v1", "Node", {"", name}}, fmt::format("node {} {}", name, what),
                    std::move(text));
}

// Returns the edit of the node of that name.
Change::Edit EditNode(const api::Node& node, std::function<void(api::Node&)> edit) {
  return {std::make_shared<const api::Node>(node),
          [edit = std::move(edit)](const api::Object& before) -> api::Object {
            auto after = std::make_shared<api::Node>(*std::get<NodeRef>(before));
            after->text = {};
            edit(*after);
            return NodeRef(std::move(after));
          }};
}

Change Uncordon(const api::Node& node) {
  Change change = ForNode(node, ChangeKind::kUncordon, "cordon",
                          fmt::format("uncordon node {}", node.metadata.name));
  // The taint follows: the node lifecycle controller removes it.
  change.edits.push_back(EditNode(node, [](api::Node& edited) {
    edited.spec.unschedulable = false;
    std::erase_if(edited.spec.taints, IsCordonTaint);
  }));
  change.patch = {{"add", "/spec/unschedulable", "false"}};
  return change;
}

Change RemoveTaint(const api::Node& node, size_t number) {
  const api::Taint& taint = node.spec.taints[number];
  const std::string& name = node.metadata.name;
  const bool of_condition = IsSetByControllers(taint);
  Change change = ForNode(
      node, ChangeKind::kRemoveTaint, "taint " + TextOf(taint),
      of_condition ? fmt::format("repair node {}, until it loses the taint {}", name, TextOf(taint))
                   : fmt::format("remove the taint {} from node {}", TextOf(taint), name));
  change.edits.push_back(EditNode(node, [taint](api::Node& edited) {
    const auto found = std::ranges::find(edited.spec.taints, taint);
    if (found != edited.spec.taints.end()) edited.spec.taints.erase(found);
  }));
  if (of_condition) {
    change.amount = 1;  // More work than the removal of another.
    change.remark = "the node controllers remove the taint when its condition ends";
  } else {
    const std::string place = std::to_string(number);
    change.patch = {
        {"test", PatchPath({"spec", "taints", place, "key"}), api::JsonQuoted(taint.key)},
        {"remove", PatchPath({"spec", "taints", place})}};
  }
  return change;
}

void AddTaintChanges(const Obstacle& obstacle, std::vector<Change>& changes) {
  const api::Node& node = obstacle.node;
  const bool comparisons = obstacle.cluster.features().taint_toleration_comparison_operators;
  for (size_t i = 0; i < node.spec.taints.size(); ++i) {
    const api::Taint& taint = node.spec.taints[i];
    const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (!hard || api::ToleratesAny(obstacle.pod.spec.tolerations, taint, comparisons)) continue;
    if (IsCordonTaint(taint)) {
      changes.push_back(Uncordon(node));
    } else {
      changes.push_back(RemoveTaint(node, i));
    }
    return;
  }
}

// Labels that say where or what the node is; to change them would be a lie.
bool IsFact(std::string_view label) {
  return label == kHostname || label == "kubernetes.io/os" || label == "kubernetes.io/arch" ||
         label == "node.kubernetes.io/instance-type" ||
         label.starts_with("topology.kubernetes.io/") ||
         label.starts_with("failure-domain.beta.kubernetes.io/");
}

Change SetLabel(const api::Node& node, const std::string& key, const std::string& value) {
  const auto before = node.metadata.labels.find(key);
  Change change =
      ForNode(node, ChangeKind::kAddLabel, "label " + key,
              fmt::format("label node {} with {}={}{}", node.metadata.name, key, value,
                          before == node.metadata.labels.end()
                              ? ""
                              : fmt::format(", instead of {}={}", key, before->second)));
  if (before != node.metadata.labels.end()) change.amount = 1;  // Others may rely on it.
  change.edits.push_back(EditNode(
      node, [=](api::Node& edited) { edited.metadata.labels.insert_or_assign(key, value); }));
  change.patch = {{"add", PatchPath({"metadata", "labels", key}), api::JsonQuoted(value)}};
  return change;
}

Change RemoveLabel(const api::Node& node, const std::string& key) {
  Change change = ForNode(node, ChangeKind::kAddLabel, "label " + key,
                          fmt::format("remove the label {} from node {}", key, node.metadata.name));
  change.edits.push_back(
      EditNode(node, [=](api::Node& edited) { edited.metadata.labels.erase(key); }));
  change.patch = {{"remove", PatchPath({"metadata", "labels", key})}};
  return change;
}

// Adds the change of a label that meets the requirement.
void AddLabelChange(const api::Node& node, const api::NodeSelectorRequirement& requirement,
                    std::vector<Change>& changes) {
  const std::string& key = requirement.key;
  if (IsFact(key)) return;
  if (requirement.op == "NotIn" || requirement.op == "DoesNotExist") {
    changes.push_back(RemoveLabel(node, key));
  } else if (requirement.op == "Exists") {
    changes.push_back(SetLabel(node, key, "true"));
  } else if (requirement.op == "In" && !requirement.values.empty()) {
    changes.push_back(SetLabel(node, key, requirement.values.front()));
  } else if (requirement.values.size() == 1) {
    const auto bound = api::ParseInt(requirement.values.front());
    if (!bound || *bound == INT64_MAX || *bound == INT64_MIN) return;
    const int64_t value = requirement.op == "Gt" ? *bound + 1 : *bound - 1;
    if (value >= 0) changes.push_back(SetLabel(node, key, std::to_string(value)));
  }
}

void AddLabelChanges(const Obstacle& obstacle, std::vector<Change>& changes) {
  const api::PodSpec& spec = obstacle.pod.spec;
  const api::Node& node = obstacle.node;
  if (spec.node_selector) {
    for (const auto& [key, value] : *spec.node_selector) {
      const auto label = node.metadata.labels.find(key);
      if (label != node.metadata.labels.end() && label->second == value) continue;
      if (!IsFact(key)) changes.push_back(SetLabel(node, key, value));
      return;
    }
  }
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required) {
    return;
  }
  for (const api::NodeSelectorTerm& term : spec.affinity->node_affinity->required->terms) {
    for (const api::NodeSelectorRequirement& requirement : term.match_expressions) {
      const auto compiled = api::CompiledNodeTerm::Make({{requirement}, {}});
      if (!compiled || compiled->Matches(node.metadata.labels, node.metadata.name)) continue;
      AddLabelChange(node, requirement, changes);
      break;
    }
  }
}

// Returns a name for a node like `node` that the cluster does not have.
std::string NewName(const scheduler::model::Cluster& cluster, const std::string& like) {
  for (size_t number = 1;; ++number) {
    std::string name = fmt::format("{}-new-{}", like, number);
    if (!cluster.nodes().Find(cluster.symbols().Find(name)).valid()) return name;
  }
}

void AddDaemonPods(const scheduler::model::Cluster& cluster, scheduler::model::NodeRow row,
                   const std::string& name, Change& change) {
  for (const api::Ref<api::Pod>& pod : PodsOn(cluster, row)) {
    if (!IsDaemon(*pod)) continue;
    auto copy = api::CopyToChange(*pod);
    copy->metadata.name = fmt::format("{}-{}", pod->metadata.name, name);
    copy->metadata.uid = copy->metadata.name;
    copy->spec.node_name = name;
    change.edits.push_back({api::Ref<api::Pod>(std::move(copy))});
  }
}

void AddDriversAndDevices(const scheduler::model::Cluster& cluster, const std::string& like,
                          const std::string& name, Change& change) {
  if (const api::CsiNode* drivers = cluster.objects<api::CsiNode>().Find({"", like})) {
    auto copy = std::make_shared<api::CsiNode>(*drivers);
    copy->metadata.name = name;
    copy->metadata.uid = name;
    change.edits.push_back({api::Ref<api::CsiNode>(std::move(copy))});
  }
  for (const auto& [key, slice] : cluster.objects<api::ResourceSlice>().all()) {
    if (slice->node_name != like) continue;
    auto copy = std::make_shared<api::ResourceSlice>(*slice);
    copy->metadata.name = fmt::format("{}-{}", slice->metadata.name, name);
    copy->metadata.uid = copy->metadata.name;
    copy->node_name = name;
    copy->pool.name = fmt::format("{}-{}", slice->pool.name, name);
    change.edits.push_back({api::Ref<api::ResourceSlice>(std::move(copy))});
  }
}

}  // namespace

std::vector<Change> NodeChanges(const Obstacle& obstacle) {
  std::vector<Change> changes;
  if (obstacle.plugin == "NodeUnschedulable") {
    changes.push_back(Uncordon(obstacle.node));
  } else if (obstacle.plugin == "TaintToleration") {
    AddTaintChanges(obstacle, changes);
  } else if (obstacle.plugin == "NodeAffinity") {
    AddLabelChanges(obstacle, changes);
  }
  return changes;
}

Change MovePod(const api::Node& node, const api::Ref<api::Pod>& pod) {
  const std::string name = api::ObjectKey{pod->metadata.namespace_, pod->metadata.name}.ToString();
  Change change = ForNode(node, ChangeKind::kMovePod, "without " + name,
                          fmt::format("move {} away from node {}", name, node.metadata.name));
  change.moves = pod;
  change.remark = ControllerOf(pod->metadata) == nullptr
                      ? "the pod has no controller: create it again, it fits elsewhere"
                      : "what its controller creates instead fits elsewhere";
  return change;
}

Change AddNodeLike(const scheduler::model::Cluster& cluster, const api::Node& node,
                   scheduler::model::NodeRow row, const std::string& topology_key) {
  const std::string& like = node.metadata.name;
  const std::string name = NewName(cluster, like);
  auto created = std::make_shared<api::Node>(node);
  created->text = {};
  created->metadata.name = name;
  created->metadata.uid = name;
  if (created->metadata.labels.contains(kHostname)) created->metadata.labels[kHostname] = name;
  const bool elsewhere = !topology_key.empty();
  if (elsewhere) created->metadata.labels[topology_key] = name;
  created->spec.unschedulable = false;
  std::erase_if(created->spec.taints,
                [](const api::Taint& taint) { return IsSetByControllers(taint); });
  Change change =
      MakeChange(ChangeKind::kAddNode, {"v1", "Node", {"", name}}, "new node",
                 fmt::format("add a node like {}{}", like,
                             elsewhere ? ", in a new " + DomainNoun(topology_key) : ""));
  change.amount = static_cast<double>(cluster.nodes().columns().allocatable_cpu[row.index()]);
  change.edits.push_back({NodeRef(std::move(created))});
  AddDaemonPods(cluster, row, name, change);
  AddDriversAndDevices(cluster, like, name, change);
  change.remark = "with its labels, taints, capacity, drivers, devices and DaemonSet pods";
  return change;
}

std::string ShapeOf(const api::Node& node) {
  std::string shape;
  for (const auto& [resource, quantity] : node.status.allocatable) {
    shape += fmt::format("{}={};", resource, quantity.ToString());
  }
  for (const auto& [key, value] : node.metadata.labels) {
    if (key != kHostname) shape += fmt::format("{}={};", key, value);
  }
  for (const api::Taint& taint : node.spec.taints) {
    if (!IsSetByControllers(taint)) shape += TextOf(taint) + ";";
  }
  return shape;
}

}  // namespace berth::explain
