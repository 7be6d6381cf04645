#include "localcluster/deployment_rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "api/timestamp.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/registry/api.h"

namespace berth::localcluster {

namespace {

int64_t TotalReplicas(const SetSizes& sizes) {
  int64_t total = sizes.new_set.replicas;
  for (const SetSize& set : sizes.old_sets) total += set.replicas;
  return total;
}

bool ResizeNewSet(const RolloutLimits& limits, SetSizes& sizes) {
  SetSize& set = sizes.new_set;
  if (set.replicas == limits.replicas) return false;
  if (set.replicas > limits.replicas) {
    set.replicas = limits.replicas;
    return true;
  }
  const int64_t surge_left = limits.replicas + limits.max_surge - TotalReplicas(sizes);
  if (surge_left <= 0) return false;
  set.replicas += std::min(surge_left, limits.replicas - set.replicas);
  return true;
}

void ShrinkOldSets(const RolloutLimits& limits, SetSizes& sizes) {
  const int64_t min_available = limits.replicas - limits.max_unavailable;
  const int64_t new_unavailable = sizes.new_set.replicas - sizes.new_set.available;
  int64_t spare = TotalReplicas(sizes) - min_available - new_unavailable;
  if (spare <= 0) return;
  // Unavailable pods go first.
  for (SetSize& set : sizes.old_sets) {
    const int64_t unhealthy = std::max<int64_t>(0, set.replicas - set.available);
    const int64_t fewer = std::min(spare, unhealthy);
    set.replicas -= fewer;
    spare -= fewer;
  }
  int64_t available = sizes.new_set.available;
  for (const SetSize& set : sizes.old_sets) available += set.available;
  int64_t excess = available - min_available;
  for (SetSize& set : sizes.old_sets) {
    const int64_t fewer = std::clamp<int64_t>(excess, 0, set.replicas);
    set.replicas -= fewer;
    excess -= fewer;
  }
}

// Returns by how much the set's size should change for its share.
int64_t ProportionalChange(const RolloutLimits& limits, const SetSize& set) {
  if (limits.replicas == 0) return -set.replicas;
  const int64_t max_replicas = limits.replicas + limits.max_surge;
  const int64_t before = set.annotated_max > 0 ? set.annotated_max : max_replicas;
  const double share = static_cast<double>(set.replicas) * static_cast<double>(max_replicas) /
                       static_cast<double>(before);
  return static_cast<int64_t>(std::llround(share)) - set.replicas;
}

}  // namespace

void RollForward(const RolloutLimits& limits, SetSizes& sizes) {
  if (!ResizeNewSet(limits, sizes)) ShrinkOldSets(limits, sizes);
}

void ScaleProportionally(const RolloutLimits& limits, SetSizes& sizes) {
  std::vector<SetSize*> sets = {&sizes.new_set};
  for (SetSize& set : sizes.old_sets) sets.push_back(&set);
  std::erase_if(sets, [](const SetSize* set) { return set->replicas == 0; });
  if (sets.size() <= 1) {
    (sets.empty() ? sizes.new_set : *sets.front()).replicas = limits.replicas;
    return;
  }
  // Largest first; the newest first among equals.
  std::ranges::stable_sort(
      sets, [](const SetSize* a, const SetSize* b) { return a->replicas > b->replicas; });
  const int64_t allowed = limits.replicas > 0 ? limits.replicas + limits.max_surge : 0;
  int64_t left = allowed - TotalReplicas(sizes);
  const bool grows = left > 0;
  for (SetSize* set : sets) {
    const int64_t wanted = ProportionalChange(limits, *set);
    const int64_t change =
        grows ? std::clamp<int64_t>(wanted, 0, left) : std::clamp<int64_t>(wanted, left, 0);
    set->replicas += change;
    left -= change;
  }
  // The largest set absorbs rounding errors.
  sets.front()->replicas = std::max<int64_t>(0, sets.front()->replicas + left);
}

DeploymentReplicaSet DeploymentReplicaSet::Read(apiserver::store::ObjectPtr object) {
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject* document = parsed.if_object();
  const JsonObject* metadata = ObjectAt(document, "metadata");
  const JsonObject* annotations = ObjectAt(metadata, "annotations");
  const JsonObject* spec = ObjectAt(document, "spec");
  const JsonObject* status = ObjectAt(document, "status");
  const auto number = [&](std::string_view key, int64_t fallback) {
    return api::ParseInt(StringAt(annotations, key)).value_or(fallback);
  };
  DeploymentReplicaSet set;
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

int64_t DeploymentReplicaSets::Sum(int64_t DeploymentReplicaSet::* field) const {
  int64_t sum = new_set ? (*new_set).*field : 0;
  for (const DeploymentReplicaSet& set : old_sets) sum += set.*field;
  return sum;
}

int64_t DeploymentReplicaSets::MaxOldRevision() const {
  int64_t highest = 0;
  for (const DeploymentReplicaSet& set : old_sets) highest = std::max(highest, set.revision);
  return highest;
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
  // If both percentages round to zero, one pod may be unavailable.
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
  // Create both members first: inserting one may move the others.
  JsonObject set;
  EnsureObject(set, "metadata");
  JsonObject& own = EnsureObject(set, "spec");
  JsonObject& metadata = EnsureObject(set, "metadata");
  SetString(metadata, "name", fmt::format("{}-{}", StringAt(from, "name"), hash));
  JsonObject& annotations = EnsureObject(metadata, "annotations");
  if (const JsonObject* given = ObjectAt(from, "annotations")) {
    for (const auto& [key, value] : *given) {
      if (!IsOwnAnnotation(key)) annotations[key] = value;
    }
  }
  SetString(annotations, kRevision, fmt::format("{}", revision));
  SetString(annotations, kDesiredReplicas, fmt::format("{}", limits.replicas));
  SetString(annotations, kMaxReplicas, fmt::format("{}", limits.replicas + limits.max_surge));
  SetController(metadata, Deployments(), deployment);

  SetInt(own, "replicas", replicas);
  if (const Json* value = At(spec, "minReadySeconds")) own["minReadySeconds"] = *value;
  if (const Json* value = At(spec, "selector")) own["selector"] = *value;
  if (const Json* value = At(spec, "template")) own["template"] = *value;
  SetString(EnsureObject(EnsureObject(own, "selector"), "matchLabels"), kTemplateHash, hash);
  JsonObject& labels =
      EnsureObject(EnsureObject(EnsureObject(own, "template"), "metadata"), "labels");
  SetString(labels, kTemplateHash, hash);
  metadata["labels"] = labels;
  return set;
}

namespace {

constexpr int64_t kNoDeadline = std::numeric_limits<int32_t>::max();

struct Counts {
  int64_t replicas = 0;
  int64_t updated = 0;
  int64_t ready = 0;
  int64_t available = 0;

  static Counts Read(const JsonObject& status) {
    const auto count = [&](std::string_view key) { return IntAt(&status, key).value_or(0); };
    return {count("replicas"), count("updatedReplicas"), count("readyReplicas"),
            count("availableReplicas")};
  }
  // Reports progress since `before`.
  bool HasProgressedSince(const Counts& before) const {
    return updated > before.updated || replicas - updated < before.replicas - before.updated ||
           ready > before.ready || available > before.available;
  }
};

void SetWithTime(JsonObject& status, std::string_view type, std::string_view value,
                 std::string_view reason, std::string_view message, bool refresh, Instant now) {
  const JsonObject* before = ConditionOf(&status, type);
  const bool changes = StringAt(before, "status") != value || StringAt(before, "reason") != reason;
  if (!changes && !refresh) return;
  apiserver::admission::SetCondition(status, type, value, reason, message, now);
  for (Json& item : EnsureArray(status, "conditions")) {
    JsonObject* condition = item.if_object();
    if (StringAt(condition, "type") != type) continue;
    SetString(*condition, "lastUpdateTime", api::FormatTime(now));
  }
}

std::string SetName(const JsonObject& deployment, const DeploymentReplicaSets& sets) {
  if (sets.new_set) return fmt::format("ReplicaSet \"{}\"", sets.new_set->object->key.name);
  return fmt::format("Deployment \"{}\"", StringAt(ObjectAt(&deployment, "metadata"), "name"));
}

std::optional<Instant> SetProgress(const JsonObject& deployment, const DeploymentReplicaSets& sets,
                                   const Counts& before, const Counts& after, Instant now,
                                   JsonObject& status) {
  const JsonObject* spec = ObjectAt(&deployment, "spec");
  const int64_t seconds = IntAt(spec, "progressDeadlineSeconds").value_or(kNoDeadline);
  const std::string name = SetName(deployment, sets);
  if (IsRolledOut(LimitsOf(deployment), sets)) {
    SetWithTime(status, "Progressing", "True", "NewReplicaSetAvailable",
                name + " has successfully progressed.", false, now);
    return std::nullopt;
  }
  const JsonObject* condition = ConditionOf(&status, "Progressing");
  const std::string_view reason = StringAt(condition, "reason");
  // A completed rollout is not restarted by pods that come and go.
  if (reason == "NewReplicaSetAvailable" && after.replicas == after.updated && sets.new_set &&
      sets.Sum(&DeploymentReplicaSet::replicas) == sets.new_set->replicas) {
    return std::nullopt;
  }
  if (BoolAt(spec, "paused")) {
    SetWithTime(status, "Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", false,
                now);
    return std::nullopt;
  }
  const auto updated = TimeAt(condition, "lastUpdateTime");
  const bool progressed = !updated || after.HasProgressedSince(before) ||
                          reason == "NewReplicaSetAvailable" || reason == "DeploymentPaused";
  if (progressed) {
    SetWithTime(status, "Progressing", "True", "ReplicaSetUpdated", name + " is progressing.", true,
                now);
  }
  if (seconds == kNoDeadline) return std::nullopt;
  const Instant due = (progressed ? now : *updated) + Duration::Seconds(seconds);
  if (now < due) return due;
  SetWithTime(status, "Progressing", "False", "ProgressDeadlineExceeded",
              name + " has timed out progressing.", false, now);
  return std::nullopt;
}

}  // namespace

bool IsRolledOut(const RolloutLimits& limits, const DeploymentReplicaSets& sets) {
  if (!sets.new_set) return false;
  const DeploymentReplicaSet& set = *sets.new_set;
  return set.present == limits.replicas && set.available == limits.replicas &&
         set.replicas == limits.replicas &&
         sets.Sum(&DeploymentReplicaSet::present) == limits.replicas;
}

std::optional<Instant> SetDeploymentStatus(const JsonObject& deployment,
                                           const DeploymentReplicaSets& sets, Instant now,
                                           JsonObject& status) {
  const Counts before = Counts::Read(status);
  const Counts after{
      sets.Sum(&DeploymentReplicaSet::present), sets.new_set ? sets.new_set->present : 0,
      sets.Sum(&DeploymentReplicaSet::ready), sets.Sum(&DeploymentReplicaSet::available)};
  SetCount(status, "replicas", after.replicas);
  SetCount(status, "updatedReplicas", after.updated);
  SetCount(status, "readyReplicas", after.ready);
  SetCount(status, "availableReplicas", after.available);
  SetCount(status, "unavailableReplicas",
           std::max<int64_t>(0, sets.Sum(&DeploymentReplicaSet::replicas) - after.available));
  const RolloutLimits limits = LimitsOf(deployment);
  if (after.available >= limits.replicas - limits.max_unavailable) {
    SetWithTime(status, "Available", "True", "MinimumReplicasAvailable",
                "Deployment has minimum availability.", false, now);
  } else {
    SetWithTime(status, "Available", "False", "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.", false, now);
  }
  return SetProgress(deployment, sets, before, after, now, status);
}

}  // namespace berth::localcluster
