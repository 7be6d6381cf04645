#include "world/daemon_pods.h"

#include <algorithm>
#include <array>
#include <string>

#include "api/selector.h"
#include "world/documents.h"

namespace berth::world {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTolerations = {{
    {"node.kubernetes.io/not-ready", "NoExecute"},
    {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"node.kubernetes.io/unschedulable", "NoSchedule"},
}};

void Tolerate(JsonObject& spec, std::string_view key, std::string_view effect) {
  JsonArray& tolerations = ArrayIn(spec, "tolerations");
  const bool present = std::ranges::any_of(tolerations, [&](const Json& toleration) {
    const JsonObject* fields = AsObject(toleration);
    return StringAt(fields, "key") == key && StringAt(fields, "effect") == effect &&
           StringAt(fields, "operator") == "Exists" && !At(fields, "tolerationSeconds");
  });
  if (present) return;
  JsonObject& toleration = tolerations.emplace_back(boost::json::object_kind).get_object();
  SetString(toleration, "key", key);
  SetString(toleration, "operator", "Exists");
  SetString(toleration, "effect", effect);
}

bool MatchesAffinity(const api::Pod& pod, const api::Node& node) {
  const api::StringMap& labels = node.metadata.labels;
  if (pod.spec.node_selector) {
    const bool met = std::ranges::all_of(*pod.spec.node_selector, [&](const auto& wanted) {
      const auto found = labels.find(wanted.first);
      return found != labels.end() && found->second == wanted.second;
    });
    if (!met) return false;
  }
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity ||
      !pod.spec.affinity->node_affinity->required) {
    return true;
  }
  return api::CompiledNodeSelector::MakeLazy(*pod.spec.affinity->node_affinity->required)
      .Matches(labels, node.metadata.name);
}

}  // namespace

void AddDaemonTolerations(JsonObject& pod) {
  JsonObject& spec = ObjectIn(pod, "spec");
  for (const auto& [key, effect] : kTolerations) Tolerate(spec, key, effect);
  if (BoolAt(&spec, "hostNetwork")) {
    Tolerate(spec, "node.kubernetes.io/network-unavailable", "NoSchedule");
  }
}

void AskForNode(JsonObject& pod, std::string_view node) {
  JsonObject& affinity = ObjectIn(ObjectIn(ObjectIn(pod, "spec"), "affinity"), "nodeAffinity");
  JsonObject& required = ObjectIn(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  JsonArray& terms = ArrayIn(required, "nodeSelectorTerms");
  if (terms.empty()) terms.emplace_back(boost::json::object_kind);
  for (Json& term : terms) {
    JsonObject* fields = term.if_object();
    if (!fields) continue;
    JsonArray& match = (*fields)["matchFields"].emplace_array();
    JsonObject& name = match.emplace_back(boost::json::object_kind).get_object();
    SetString(name, "key", "metadata.name");
    SetString(name, "operator", "In");
    name["values"].emplace_array().emplace_back(node);
  }
}

DaemonFit FitOf(const api::Pod& pod, const api::Node& node) {
  if (!MatchesAffinity(pod, node)) return {};
  DaemonFit fit{true, true};
  for (const api::Taint& taint : node.spec.taints) {
    if (taint.effect == "PreferNoSchedule") continue;
    if (api::ToleratesAny(pod.spec.tolerations, taint)) continue;
    fit.runs = false;
    if (taint.effect == "NoExecute") fit.stays = false;
  }
  return fit;
}

}  // namespace berth::world
