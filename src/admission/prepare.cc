#include "admission/prepare.h"

#include <algorithm>
#include <string>

#include "admission/metadata.h"
#include "admission/qos.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

void Take(const JsonObject& from, JsonObject& to, std::string_view key) {
  if (SameAt(&from, &to, key)) return;
  if (const Json* value = At(&from, key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

// The numbers that a controller has yet to count.
void ZeroStatus(std::string_view kind, JsonObject& status) {
  const auto zero = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) SetInt(status, key, 0);
  };
  if (kind == "ReplicaSet" || kind == "ReplicationController") zero({"replicas"});
  if (kind == "StatefulSet") zero({"replicas", "availableReplicas"});
  if (kind == "DaemonSet") {
    zero({"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"});
  }
  if (kind == "PodDisruptionBudget") {
    zero({"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"});
  }
  if (kind == "Service") status["loadBalancer"].emplace_object();
  if (kind == "Namespace") SetString(status, "phase", "Active");
}

void PrepareNamespace(JsonObject& document) {
  JsonObject& metadata = MetadataOf(document);
  const std::string name(StringAt(&metadata, "name"));
  SetString(ObjectIn(metadata, "labels"), "kubernetes.io/metadata.name", name);
  JsonArray& finalizers = ArrayIn(ObjectIn(document, "spec"), "finalizers");
  if (std::ranges::find(finalizers, Json("kubernetes")) == finalizers.end()) {
    finalizers.emplace_back("kubernetes");
  }
}

// Everything but the status; the labels and annotations of pods and nodes may come with it.
void KeepAllButStatus(const Kind& kind, const JsonObject& before, JsonObject& after) {
  for (const auto& member : before) {
    const std::string_view key = member.key();
    if (key != "status" && key != "metadata") Take(before, after, key);
  }
  for (size_t i = 0; i < after.size();) {
    const auto member = after.begin() + i;
    if (member->key() == "status" || before.contains(member->key())) {
      ++i;
    } else {
      after.stable_erase(member);
    }
  }
  const JsonObject* old_metadata = MetadataOf(before);
  JsonObject& metadata = MetadataOf(after);
  const JsonObject none;
  for (const std::string_view key : {"ownerReferences", "finalizers"}) {
    Take(old_metadata ? *old_metadata : none, metadata, key);
  }
  if (kind.kind == "Pod" || kind.kind == "Node") return;
  for (const std::string_view key : {"labels", "annotations"}) {
    Take(old_metadata ? *old_metadata : none, metadata, key);
  }
}

// Only the resources of the containers.
void KeepAllButSizes(const JsonObject& before, JsonObject& after) {
  const Json sized = after.contains("spec") ? after["spec"] : Json();
  for (const auto& member : before) {
    if (member.key() != "metadata") Take(before, after, member.key());
  }
  JsonObject* spec = ObjectAt(&after, "spec");
  for (const std::string_view key : {"containers", "initContainers"}) {
    const JsonArray* from = ArrayAt(AsObject(sized), key);
    JsonArray* to = ArrayAt(spec, key);
    for (size_t i = 0; from && to && i < std::min(from->size(), to->size()); ++i) {
      const JsonObject* container = AsObject((*from)[i]);
      JsonObject* kept = (*to)[i].if_object();
      if (!container || !kept || StringAt(container, "name") != StringAt(kept, "name")) continue;
      for (const std::string_view part : {"resources", "resizePolicy"}) {
        if (const Json* value = At(container, part)) (*kept)[part] = *value;
      }
    }
  }
}

}  // namespace

void SetCondition(JsonObject& status, std::string_view type, std::string_view value,
                  std::string_view reason, std::string_view message, Instant now) {
  JsonArray& conditions = ArrayIn(status, "conditions");
  const auto found = std::ranges::find_if(conditions, [&](const Json& condition) {
    return StringAt(AsObject(condition), "type") == type;
  });
  Json& slot =
      found != conditions.end() ? *found : conditions.emplace_back(boost::json::object_kind);
  JsonObject* condition = slot.if_object();
  if (!condition) condition = &slot.emplace_object();
  const bool changes = StringAt(condition, "status") != value;
  SetString(*condition, "type", type);
  SetString(*condition, "status", value);
  if (changes || !At(condition, "lastTransitionTime")) {
    SetString(*condition, "lastTransitionTime", TimeText(now));
  }
  for (const auto& [key, text] :
       {std::pair<std::string_view, std::string_view>{"reason", reason}, {"message", message}}) {
    if (text.empty()) {
      condition->erase(key);
    } else {
      SetString(*condition, key, text);
    }
  }
}

void PrepareCreate(const Kind& kind, JsonObject& document) {
  if (kind.kind == "Node" || !kind.has_status) return;
  if (kind.kind == "Namespace") PrepareNamespace(document);
  JsonObject& status = document["status"].emplace_object();
  ZeroStatus(kind.kind, status);
}

void FinishCreate(const Kind& kind, JsonObject& document, Instant now) {
  if (kind.kind != "Pod") return;
  const JsonObject* spec = ObjectAt(&document, "spec");
  const std::string_view quality = QosClassOf(spec);
  const bool gated = !EmptyAt(spec, "schedulingGates");
  JsonObject& status = ObjectIn(document, "status");
  SetString(status, "phase", "Pending");
  SetString(status, "qosClass", quality);
  if (gated) {
    SetCondition(status, "PodScheduled", "False", "SchedulingGated",
                 "Scheduling is blocked due to non-empty scheduling gates", now);
  }
}

void PrepareUpdate(const Kind& kind, std::string_view subresource, const JsonObject& before,
                   JsonObject& after) {
  if (subresource == "status") return KeepAllButStatus(kind, before, after);
  if (subresource == "resize") return KeepAllButSizes(before, after);
  if (kind.has_status) Take(before, after, "status");
  if (kind.kind == "Namespace") {
    JsonObject& spec = ObjectIn(after, "spec");
    const JsonObject* old_spec = ObjectAt(&before, "spec");
    const JsonObject none;
    // The finalizers of the spec have a way of their own.
    if (subresource != "finalize") Take(old_spec ? *old_spec : none, spec, "finalizers");
    const std::string name(StringAt(MetadataOf(before), "name"));
    SetString(ObjectIn(MetadataOf(after), "labels"), "kubernetes.io/metadata.name", name);
  }
}

}  // namespace berth::apiserver
