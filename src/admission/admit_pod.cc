// Admission of pods: priority, tolerations, topology labels.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "admission/admission.h"
#include "admission/metadata.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

constexpr int64_t kTolerationSeconds = 300;
constexpr std::array<std::string_view, 2> kTopologyLabels = {"topology.kubernetes.io/region",
                                                             "topology.kubernetes.io/zone"};

ApiResult<void> ResolvePriority(const PriorityClasses& priorities, const Kind& kind,
                                std::string_view pod, JsonObject& spec) {
  const auto table = priorities.table();
  const std::string_view wanted = StringAt(&spec, "priorityClassName");
  static const PriorityClass kNone;
  const PriorityClass* found = &kNone;
  if (!wanted.empty()) {
    found = FindPriorityClass(*table, wanted);
    if (!found) {
      return std::unexpected(
          Forbidden(kind, pod, fmt::format("no PriorityClass with name {} was found", wanted)));
    }
  } else if (const PriorityClass* fallback = DefaultPriorityClass(*table)) {
    found = fallback;
    SetString(spec, "priorityClassName", found->name);
  }
  const auto given = IntAt(&spec, "priority");
  if (given && *given != found->value) {
    return std::unexpected(Forbidden(
        kind, pod,
        fmt::format("the integer value of priority ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    *given, found->value)));
  }
  const std::string_view policy = StringAt(&spec, "preemptionPolicy");
  if (!policy.empty() && policy != found->preemption_policy) {
    return std::unexpected(Forbidden(
        kind, pod,
        fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    policy, found->preemption_policy)));
  }
  SetInt(spec, "priority", found->value);
  SetString(spec, "preemptionPolicy", found->preemption_policy);
  return {};
}

bool Tolerates(const JsonArray& tolerations, std::string_view key) {
  for (const Json& toleration : tolerations) {
    const JsonObject* fields = AsObject(toleration);
    const std::string_view own = StringAt(fields, "key");
    const std::string_view effect = StringAt(fields, "effect");
    if ((own == key || own.empty()) && (effect == "NoExecute" || effect.empty())) return true;
  }
  return false;
}

}  // namespace

void AddDefaultTolerations(JsonObject& pod_spec) {
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    JsonArray& tolerations = ArrayIn(pod_spec, "tolerations");
    if (Tolerates(tolerations, key)) continue;
    JsonObject& toleration = tolerations.emplace_back(boost::json::object_kind).get_object();
    SetString(toleration, "key", key);
    SetString(toleration, "operator", "Exists");
    SetString(toleration, "effect", "NoExecute");
    SetInt(toleration, "tolerationSeconds", kTolerationSeconds);
  }
}

void AddTopologyLabels(const store::Store& store, std::string_view node, JsonObject& pod) {
  static const store::Collection kNodes = KindOf("nodes").collection;
  const store::ObjectPtr object = store.Get(kNodes, {"", std::string(node)});
  if (!object) return;
  for (const auto& [key, value] : object->labels) {
    if (key != kTopologyLabels[0] && key != kTopologyLabels[1]) continue;
    SetString(ObjectIn(MetadataOf(pod), "labels"), key, value);
  }
}

ApiResult<void> AdmitPod(AdmissionContext& context, const Kind& kind, JsonObject& pod) {
  const std::string name(StringAt(&MetadataOf(pod), "name"));
  JsonObject& spec = ObjectIn(pod, "spec");
  if (auto resolved = ResolvePriority(context.priorities, kind, name, spec); !resolved) {
    return resolved;
  }
  AddDefaultTolerations(spec);
  const std::string_view node = StringAt(&spec, "nodeName");
  if (!node.empty()) AddTopologyLabels(context.store, std::string(node), pod);
  return {};
}

}  // namespace berth::apiserver
