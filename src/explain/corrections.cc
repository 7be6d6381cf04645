#include "explain/corrections.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "api/json/writer.h"
#include "base/suggestion.h"
#include "explain/affinity_corrections.h"
#include "explain/pod_changes.h"
#include "scheduler/model/features.h"
#include "scheduler/model/objects.h"

namespace berth::explain {
namespace {

Change Correct(const api::Pod& pod, std::string subject, std::string text) {
  return MakeChange(ChangeKind::kCorrect, NameOfPod(pod), std::move(subject), std::move(text));
}

// What the image was built for is no slip of the pen.
bool IsOfImage(const std::string& label) {
  return label == "kubernetes.io/arch" || label == "kubernetes.io/os";
}

Change SetSelector(const api::Pod& pod, const std::string& key, const std::string& value,
                   const std::string& new_key, const std::string& new_value) {
  Change change = Correct(pod, fmt::format("nodeSelector {}", key),
                          fmt::format("ask for {}={} in the nodeSelector instead of {}={}", new_key,
                                      new_value, key, value));
  change.edit_pod = [=](api::Pod& edited) {
    edited.spec.node_selector->erase(key);
    edited.spec.node_selector->insert_or_assign(new_key, new_value);
  };
  if (key != new_key) change.patch = {{"remove", PatchPath({"spec", "nodeSelector", key})}};
  change.patch.push_back(
      {"add", PatchPath({"spec", "nodeSelector", new_key}), api::JsonQuoted(new_value)});
  change.amount = static_cast<double>(EditDistance(key, new_key) + EditDistance(value, new_value));
  // Few misspell the first letter.
  if (!value.empty() && !new_value.empty() && value[0] != new_value[0]) change.amount += 0.5;
  return change;
}

// Corrects the first label that the node does not have: its value, or its key.
void AddSelector(const Obstacle& obstacle, std::vector<Change>& changes) {
  if (!obstacle.pod.spec.node_selector) return;
  const api::StringMap& labels = obstacle.node.metadata.labels;
  for (const auto& [key, value] : *obstacle.pod.spec.node_selector) {
    const auto label = labels.find(key);
    if (label != labels.end() && label->second == value) continue;
    if (IsOfImage(key)) return;
    if (label != labels.end()) {
      Suggestion suggestion(value);
      suggestion.Consider(label->second);
      if (suggestion.best().empty()) return;
      changes.push_back(SetSelector(obstacle.pod, key, value, key, label->second));
      return;
    }
    Suggestion suggestion(key);
    for (const auto& [known, of_node] : labels) {
      if (of_node == value) suggestion.Consider(known);
    }
    if (suggestion.best().empty()) return;
    changes.push_back(SetSelector(obstacle.pod, key, value, suggestion.best(), value));
    return;
  }
}

void Rename(api::ResourceList& list, const std::string& from, const std::string& to) {
  const auto found = list.find(from);
  if (found == list.end()) return;
  const api::Quantity amount = found->second;
  list.erase(found);
  list.insert_or_assign(to, amount);
}

Change RenameResource(const api::Pod& pod, const std::string& from, const std::string& to) {
  Change change =
      Correct(pod, "resource " + from, fmt::format("request {} instead of {}", to, from));
  change.edit_pod = [from, to](api::Pod& edited) {
    for (auto* list : {&edited.spec.init_containers, &edited.spec.containers}) {
      for (api::Container& container : *list) {
        Rename(container.resources.requests, from, to);
        Rename(container.resources.limits, from, to);
      }
    }
  };
  const auto add = [&](const char* field, const std::vector<api::Container>& containers) {
    for (size_t i = 0; i < containers.size(); ++i) {
      const std::string number = std::to_string(i);
      const auto& resources = containers[i].resources;
      for (const auto& [name, list] :
           {std::pair{"requests", &resources.requests}, std::pair{"limits", &resources.limits}}) {
        const auto found = list->find(from);
        if (found == list->end()) continue;
        change.patch.push_back(
            {"remove", PatchPath({"spec", field, number, "resources", name, from})});
        change.patch.push_back({"add", PatchPath({"spec", field, number, "resources", name, to}),
                                api::JsonQuoted(found->second.ToString())});
      }
    }
  };
  add("initContainers", pod.spec.init_containers);
  add("containers", pod.spec.containers);
  return change;
}

// Corrects a resource that the node does not list.
void AddResource(const Obstacle& obstacle, std::vector<Change>& changes) {
  const api::ResourceList& offered = obstacle.node.status.allocatable;
  for (const auto* list : {&obstacle.pod.spec.containers, &obstacle.pod.spec.init_containers}) {
    for (const api::Container& container : *list) {
      for (const auto& [name, amount] : container.resources.requests) {
        if (offered.contains(name)) continue;
        Suggestion suggestion(name);
        for (const auto& [known, of_node] : offered) suggestion.Consider(known);
        if (suggestion.best().empty()) continue;
        changes.push_back(RenameResource(obstacle.pod, name, suggestion.best()));
        return;
      }
    }
  }
}

// Replaces a toleration of the pod.
Change SetToleration(const api::Pod& pod, size_t number, const api::Taint& taint) {
  const api::Toleration& from = pod.spec.tolerations[number];
  api::Toleration to = from;
  to.key = taint.key;
  if (from.op != "Exists") to.value = taint.value;
  if (!from.effect.empty()) to.effect = taint.effect;
  const auto text_of = [](const api::Toleration& one) {
    return fmt::format("{}{}{}{}{}", one.key, one.op == "Exists" ? "" : "=", one.value,
                       one.effect.empty() ? "" : ":", one.effect);
  };
  Change change = Correct(pod, "toleration " + text_of(from),
                          fmt::format("tolerate {} instead of {}", text_of(to), text_of(from)));
  change.edit_pod = [number, to](api::Pod& edited) { edited.spec.tolerations[number] = to; };
  std::vector<api::Toleration> all = pod.spec.tolerations;
  all[number] = to;
  change.patch = {{"add", "/spec/tolerations", TolerationsJson(all)}};
  change.amount =
      static_cast<double>(EditDistance(from.key, to.key) + EditDistance(from.value, to.value));
  return change;
}

bool IsLike(const std::string& word, const std::string& known) {
  Suggestion suggestion(word);
  suggestion.Consider(known);
  return word == known || !suggestion.best().empty();
}

// Corrects the toleration that was probably meant for the first taint that the pod does not
// tolerate: its key, value or effect.
void AddToleration(const Obstacle& obstacle, std::vector<Change>& changes) {
  const bool comparisons = obstacle.cluster.features().taint_toleration_comparison_operators;
  const std::vector<api::Toleration>& all = obstacle.pod.spec.tolerations;
  for (const api::Taint& taint : obstacle.node.spec.taints) {
    const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (!hard || api::ToleratesAny(all, taint, comparisons)) continue;
    if (IsSetByControllers(taint)) return;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool simple = all[i].op.empty() || all[i].op == "Equal" || all[i].op == "Exists";
      const bool alike = IsLike(all[i].key, taint.key) &&
                         (all[i].op == "Exists" || IsLike(all[i].value, taint.value));
      if (!simple || all[i].toleration_seconds || !alike) continue;
      changes.push_back(SetToleration(obstacle.pod, i, taint));
      return;
    }
    return;
  }
}

Change UseResourceClaim(const api::Pod& pod, size_t number, const std::string& to) {
  const std::string& from = *pod.spec.resource_claims[number].resource_claim_name;
  Change change = Correct(pod, "ResourceClaim " + from,
                          fmt::format("use the ResourceClaim {} instead of {}", to, from));
  change.edit_pod = [number, to](api::Pod& edited) {
    edited.spec.resource_claims[number].resource_claim_name = to;
  };
  change.patch = {
      {"replace",
       PatchPath({"spec", "resourceClaims", std::to_string(number), "resourceClaimName"}),
       api::JsonQuoted(to)}};
  return change;
}

Change SetDeviceClass(const api::ResourceClaim& claim, size_t request, const std::string& to) {
  const api::ObjectKey key{claim.metadata.namespace_, claim.metadata.name};
  const std::string& from = claim.spec.requests[request].exactly->device_class_name;
  Change change = MakeChange(
      ChangeKind::kCorrect, {"resource.k8s.io/v1", "ResourceClaim", key}, "DeviceClass " + from,
      fmt::format("create the ResourceClaim {} again with DeviceClass {}", key.ToString(), to));
  auto edited = std::make_shared<api::ResourceClaim>(claim);
  edited->spec.requests[request].exactly->device_class_name = to;
  change.edits.push_back({api::Ref<api::ResourceClaim>(std::move(edited))});
  change.patch = {{"replace",
                   PatchPath({"spec", "devices", "requests", std::to_string(request), "exactly",
                              "deviceClassName"}),
                   api::JsonQuoted(to)}};
  change.in_place = false;
  return change;
}

}  // namespace

std::vector<Change> ResourceClaimCorrections(const scheduler::model::Cluster& cluster,
                                             const api::Pod& pod) {
  std::vector<Change> changes;
  const auto& claims = cluster.objects<api::ResourceClaim>();
  for (size_t i = 0; i < pod.spec.resource_claims.size(); ++i) {
    const auto& name = pod.spec.resource_claims[i].resource_claim_name;
    if (!name) continue;
    const auto* claim = claims.Find({pod.metadata.namespace_, *name});
    if (claim == nullptr) {
      Suggestion suggestion(*name);
      for (const auto& [key, known] : claims.all()) {
        if (key.namespace_ == pod.metadata.namespace_) suggestion.Consider(key.name);
      }
      if (suggestion.best().empty()) continue;
      changes.push_back(UseResourceClaim(pod, i, suggestion.best()));
      continue;
    }
    for (size_t r = 0; r < claim->spec.requests.size(); ++r) {
      const auto& exactly = claim->spec.requests[r].exactly;
      if (!exactly ||
          cluster.objects<api::DeviceClass>().Find({"", exactly->device_class_name}) != nullptr) {
        continue;
      }
      Suggestion suggestion(exactly->device_class_name);
      for (const auto& [key, known] : cluster.objects<api::DeviceClass>().all()) {
        suggestion.Consider(key.name);
      }
      if (suggestion.best().empty()) continue;
      changes.push_back(SetDeviceClass(*claim, r, suggestion.best()));
    }
  }
  return changes;
}

std::vector<Change> Corrections(const Obstacle& obstacle) {
  std::vector<Change> changes;
  if (obstacle.plugin == "NodeAffinity") {
    AddSelector(obstacle, changes);
    std::ranges::move(NodeAffinityCorrections(obstacle), std::back_inserter(changes));
  }
  if (obstacle.plugin == "InterPodAffinity") {
    std::ranges::move(PodAffinityCorrections(obstacle), std::back_inserter(changes));
  }
  if (obstacle.plugin == "TaintToleration") AddToleration(obstacle, changes);
  if (obstacle.plugin == "NodeResourcesFit") AddResource(obstacle, changes);
  return changes;
}

}  // namespace berth::explain
