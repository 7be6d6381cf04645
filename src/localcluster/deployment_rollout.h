// The arithmetic of a Deployment's rollout: how large its ReplicaSets should be next.
//
// Pure, and one step at a time: the next step follows once the pods have come or gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

struct RolloutLimits {
  int64_t replicas = 0;         // What the Deployment asks for.
  int64_t max_surge = 0;        // How many more there may be,
  int64_t max_unavailable = 0;  // and how many fewer available.
};

struct SetSize {
  int64_t replicas = 0;       // What the set is told.
  int64_t available = 0;      // How many of its pods are.
  int64_t annotated_max = 0;  // replicas + surge of the Deployment when the set was last sized.
};

// The sets of a Deployment: old ones from the oldest on, and the new one.
struct SetSizes {
  std::vector<SetSize> old_sets;
  SetSize new_set;
};

// Grows the new set, or else shrinks old ones, as far as the limits allow.
void RollForward(const RolloutLimits& limits, SetSizes& sizes);

// Shares a change of the Deployment's size among the sets, in proportion to theirs.
void ScaleProportionally(const RolloutLimits& limits, SetSizes& sizes);

// The ReplicaSets of a Deployment as its controller looks at them.
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";

struct DeploymentReplicaSet {
  apiserver::store::ObjectPtr object;
  std::string template_text;  // Without the hash: equal texts, equal templates.
  int64_t replicas = 0;       // Of the spec.
  int64_t present = 0;        // Of the status, as the next two.
  int64_t ready = 0;
  int64_t available = 0;
  int64_t revision = 0;
  int64_t desired = -1;  // As annotated; -1: not.
  int64_t annotated_max = 0;
  Instant created = {};
  bool observed = false;  // Its status is that of its spec.
  bool deleting = false;

  static DeploymentReplicaSet Read(apiserver::store::ObjectPtr object);
};

struct DeploymentReplicaSets {
  std::vector<DeploymentReplicaSet> old_sets;  // From the oldest on.
  std::optional<DeploymentReplicaSet> new_set;

  int64_t Sum(int64_t DeploymentReplicaSet::* field) const;
  int64_t MaxOldRevision() const;
};

// The text of a pod template by which templates are compared and hashed.
std::string TemplateText(const JsonObject* pod_template);

// The limits that the Deployment's strategy sets; for Recreate, none at a time.
RolloutLimits LimitsOf(const JsonObject& deployment);

// The ReplicaSet for the Deployment's template.
JsonObject MakeReplicaSet(const JsonObject& deployment, std::string_view hash, int64_t replicas,
                          int64_t revision);
// Annotations of a Deployment go to its sets, but for those that are its own.
bool IsOwnAnnotation(std::string_view key);

// What a Deployment's status says of its rollout.
// All pods are of the new set, and all are available.
bool IsRolledOut(const RolloutLimits& limits, const DeploymentReplicaSets& sets);

// Brings the counts and conditions of `status` up to date. Returns when the rollout will have taken
// too long, if that may yet come.
std::optional<Instant> SetDeploymentStatus(const JsonObject& deployment,
                                           const DeploymentReplicaSets& sets, Instant now,
                                           JsonObject& status);

}  // namespace berth::localcluster
