#include "world/deployment_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apiserver/api.h"

namespace berth::world {

DeploymentSet DeploymentSet::Read(store::ObjectPtr object) {
  const Json parsed = apiserver::Parse(*object);
  const JsonObject* document = parsed.if_object();
  const JsonObject* metadata = ObjectAt(document, "metadata");
  const JsonObject* annotations = ObjectAt(metadata, "annotations");
  const JsonObject* spec = ObjectAt(document, "spec");
  const JsonObject* status = ObjectAt(document, "status");
  const auto number = [&](std::string_view key, int64_t fallback) {
    return api::ParseInt(StringAt(annotations, key)).value_or(fallback);
  };
  DeploymentSet set;
  set.template_text = TemplateText(ObjectAt(spec, "template"));
  set.replicas = IntAt(spec, "replicas").value_or(1);
  set.present = IntAt(status, "replicas").value_or(0);
  set.ready = IntAt(status, "readyReplicas").value_or(0);
  set.available = IntAt(status, "availableReplicas").value_or(0);
  set.revision = number(kRevision, 0);
  set.desired = number(kDesiredReplicas, -1);
  set.annotated_max = number(kMaxReplicas, 0);
  set.created = TimeAt(metadata, "creationTimestamp").value_or(Instant{});
  set.observed =
      IntAt(status, "observedGeneration").value_or(0) >= IntAt(metadata, "generation").value_or(0);
  set.deleting = At(metadata, "deletionTimestamp") != nullptr;
  set.object = std::move(object);
  return set;
}

int64_t DeploymentSets::Sum(int64_t DeploymentSet::* field) const {
  int64_t sum = new_set ? (*new_set).*field : 0;
  for (const DeploymentSet& set : old_sets) sum += set.*field;
  return sum;
}

int64_t DeploymentSets::MaxOldRevision() const {
  int64_t most = 0;
  for (const DeploymentSet& set : old_sets) most = std::max(most, set.revision);
  return most;
}

std::string TemplateText(const JsonObject* pod_template) {
  if (!pod_template) return {};
  Json copy(*pod_template);
  JsonObject* metadata = ObjectAt(copy.if_object(), "metadata");
  if (JsonObject* labels = ObjectAt(metadata, "labels")) labels->erase(kTemplateHash);
  return CanonicalText(copy);
}

RolloutLimits LimitsOf(const JsonObject& deployment) {
  const JsonObject* spec = ObjectAt(&deployment, "spec");
  RolloutLimits limits{.replicas = std::max<int64_t>(0, IntAt(spec, "replicas").value_or(1))};
  const JsonObject* strategy = ObjectAt(spec, "strategy");
  if (StringAt(strategy, "type") == "Recreate") return limits;
  const JsonObject* rolling = ObjectAt(strategy, "rollingUpdate");
  const int64_t quarter_up = (limits.replicas + 3) / 4;
  limits.max_surge = ScaledValue(At(rolling, "maxSurge"), limits.replicas, true, quarter_up);
  limits.max_unavailable =
      ScaledValue(At(rolling, "maxUnavailable"), limits.replicas, false, limits.replicas / 4);
  // Percentages may round to nothing; then one pod goes first.
  if (limits.max_surge <= 0 && limits.max_unavailable <= 0) limits.max_unavailable = 1;
  limits.max_unavailable = std::min(limits.max_unavailable, limits.replicas);
  return limits;
}

bool IsOwnAnnotation(std::string_view key) {
  constexpr std::array<std::string_view, 6> kOwn = {
      kRevision,
      kRevisionHistory,
      kDesiredReplicas,
      kMaxReplicas,
      "kubectl.kubernetes.io/last-applied-configuration",
      "deprecated.deployment.rollback.to"};
  return std::ranges::find(kOwn, key) != kOwn.end();
}

JsonObject MakeReplicaSet(const JsonObject& deployment, std::string_view hash, int64_t replicas,
                          int64_t revision) {
  const RolloutLimits limits = LimitsOf(deployment);
  const JsonObject* from = ObjectAt(&deployment, "metadata");
  const JsonObject* spec = ObjectAt(&deployment, "spec");
  JsonObject set;
  JsonObject& metadata = ObjectIn(set, "metadata");
  SetString(metadata, "name", fmt::format("{}-{}", StringAt(from, "name"), hash));
  JsonObject& annotations = ObjectIn(metadata, "annotations");
  if (const JsonObject* given = ObjectAt(from, "annotations")) {
    for (const auto& [key, value] : *given) {
      if (!IsOwnAnnotation(key)) annotations[key] = value;
    }
  }
  SetString(annotations, kRevision, fmt::format("{}", revision));
  SetString(annotations, kDesiredReplicas, fmt::format("{}", limits.replicas));
  SetString(annotations, kMaxReplicas, fmt::format("{}", limits.replicas + limits.max_surge));
  SetController(metadata, Deployments(), deployment);

  JsonObject& own = ObjectIn(set, "spec");
  SetInt(own, "replicas", replicas);
  if (const Json* value = At(spec, "minReadySeconds")) own["minReadySeconds"] = *value;
  if (const Json* value = At(spec, "selector")) own["selector"] = *value;
  if (const Json* value = At(spec, "template")) own["template"] = *value;
  SetString(ObjectIn(ObjectIn(own, "selector"), "matchLabels"), kTemplateHash, hash);
  JsonObject& labels = ObjectIn(ObjectIn(ObjectIn(own, "template"), "metadata"), "labels");
  SetString(labels, kTemplateHash, hash);
  metadata["labels"] = labels;
  return set;
}

}  // namespace berth::world
