#include "explain/corrections.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/json/writer.h"
#include "base/suggestion.h"
#include "explain/pod_changes.h"

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

}  // namespace

std::vector<Change> Corrections(const Obstacle& obstacle) {
  std::vector<Change> changes;
  if (obstacle.plugin == "NodeAffinity") AddSelector(obstacle, changes);
  if (obstacle.plugin == "NodeResourcesFit") AddResource(obstacle, changes);
  return changes;
}

}  // namespace berth::explain
