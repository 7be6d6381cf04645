#include "world/deployment_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "apiserver/metadata.h"
#include "apiserver/prepare.h"

namespace berth::world {

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
  bool IsBeyond(const Counts& before) const {
    return updated > before.updated || replicas - updated < before.replicas - before.updated ||
           ready > before.ready || available > before.available;
  }
};

void SetWithTime(JsonObject& status, std::string_view type, std::string_view value,
                 std::string_view reason, std::string_view message, bool touch, Instant now) {
  const JsonObject* before = ConditionOf(&status, type);
  const bool changes = StringAt(before, "status") != value || StringAt(before, "reason") != reason;
  if (!changes && !touch) return;
  apiserver::SetCondition(status, type, value, reason, message, now);
  for (Json& item : ArrayIn(status, "conditions")) {
    JsonObject* condition = item.if_object();
    if (StringAt(condition, "type") != type) continue;
    SetString(*condition, "lastUpdateTime", apiserver::TimeText(now));
  }
}

std::string SetName(const JsonObject& deployment, const DeploymentSets& sets) {
  if (sets.new_set) return fmt::format("ReplicaSet \"{}\"", sets.new_set->object->key.name);
  return fmt::format("Deployment \"{}\"", StringAt(ObjectAt(&deployment, "metadata"), "name"));
}

std::optional<Instant> SetProgress(const JsonObject& deployment, const DeploymentSets& sets,
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
  // A rollout that has ended is not begun again by pods that come and go.
  if (reason == "NewReplicaSetAvailable" && after.replicas == after.updated && sets.new_set &&
      sets.Sum(&DeploymentSet::replicas) == sets.new_set->replicas) {
    return std::nullopt;
  }
  if (BoolAt(spec, "paused")) {
    SetWithTime(status, "Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", false,
                now);
    return std::nullopt;
  }
  const auto updated = TimeAt(condition, "lastUpdateTime");
  const bool moves = !updated || after.IsBeyond(before) || reason == "NewReplicaSetAvailable" ||
                     reason == "DeploymentPaused";
  if (moves) {
    SetWithTime(status, "Progressing", "True", "ReplicaSetUpdated", name + " is progressing.", true,
                now);
  }
  if (seconds == kNoDeadline) return std::nullopt;
  const Instant due = (moves ? now : *updated) + Duration::Seconds(seconds);
  if (now < due) return due;
  SetWithTime(status, "Progressing", "False", "ProgressDeadlineExceeded",
              name + " has timed out progressing.", false, now);
  return std::nullopt;
}

}  // namespace

bool IsRolledOut(const RolloutLimits& limits, const DeploymentSets& sets) {
  if (!sets.new_set) return false;
  const DeploymentSet& set = *sets.new_set;
  return set.present == limits.replicas && set.available == limits.replicas &&
         set.replicas == limits.replicas && sets.Sum(&DeploymentSet::present) == limits.replicas;
}

std::optional<Instant> SetDeploymentStatus(const JsonObject& deployment, const DeploymentSets& sets,
                                           Instant now, JsonObject& status) {
  const Counts before = Counts::Read(status);
  const Counts after{sets.Sum(&DeploymentSet::present), sets.new_set ? sets.new_set->present : 0,
                     sets.Sum(&DeploymentSet::ready), sets.Sum(&DeploymentSet::available)};
  SetCount(status, "replicas", after.replicas);
  SetCount(status, "updatedReplicas", after.updated);
  SetCount(status, "readyReplicas", after.ready);
  SetCount(status, "availableReplicas", after.available);
  SetCount(status, "unavailableReplicas",
           std::max<int64_t>(0, sets.Sum(&DeploymentSet::replicas) - after.available));
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

}  // namespace berth::world
