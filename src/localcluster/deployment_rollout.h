// The rollout of a Deployment as pure functions: its ReplicaSets, their next sizes, and the status
// that results.
//
// Sizes change one step at a time: the next step follows once pods have started or terminated.
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
  int64_t replicas = 0;         // spec.replicas of the Deployment.
  int64_t max_surge = 0;        // How many more pods may exist.
  int64_t max_unavailable = 0;  // How many of them may be unavailable.
};

struct SetSize {
  int64_t replicas = 0;       // spec.replicas of the ReplicaSet.
  int64_t available = 0;      // Its available pods.
  int64_t annotated_max = 0;  // replicas + surge of the Deployment when the set was last sized.
};

// The sizes of a Deployment's sets: old ones, oldest first, and the new one.
struct SetSizes {
  std::vector<SetSize> old_sets;
  SetSize new_set;
};

// Scales the new set up, or else old ones down, as far as the limits allow.
void RollForward(const RolloutLimits& limits, SetSizes& sizes);

// Distributes a change of the Deployment's size over its sets, in proportion to their sizes.
void ScaleProportionally(const RolloutLimits& limits, SetSizes& sizes);

// Annotations and the label of a Deployment's ReplicaSets.
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";

// What the controller reads of one ReplicaSet.
struct DeploymentReplicaSet {
  apiserver::store::ObjectPtr object;
  std::string template_text;  // See TemplateText.
  int64_t replicas = 0;       // spec.replicas
  int64_t present = 0;        // status.replicas
  int64_t ready = 0;
  int64_t available = 0;
  int64_t revision = 0;
  int64_t desired = -1;  // As annotated; -1 if absent.
  int64_t annotated_max = 0;
  Instant created = {};
  bool observed = false;  // Its status reflects its spec.
  bool deleting = false;

  static DeploymentReplicaSet Read(apiserver::store::ObjectPtr object);
};

struct DeploymentReplicaSets {
  std::vector<DeploymentReplicaSet> old_sets;  // Oldest first.
  std::optional<DeploymentReplicaSet> new_set;

  int64_t Sum(int64_t DeploymentReplicaSet::* field) const;
  int64_t MaxOldRevision() const;
};

// Returns the canonical text of a pod template without the hash label: equal templates give equal
// texts.
std::string TemplateText(const JsonObject* pod_template);

// Returns the limits of the Deployment's strategy; those of Recreate are zero.
RolloutLimits LimitsOf(const JsonObject& deployment);

// Builds the ReplicaSet of the Deployment's current template.
JsonObject MakeReplicaSet(const JsonObject& deployment, std::string_view hash, int64_t replicas,
                          int64_t revision);
// Reports whether the annotation belongs to the Deployment alone; others are copied to its sets.
bool IsOwnAnnotation(std::string_view key);

// Reports whether all pods belong to the new set and all are available.
bool IsRolledOut(const RolloutLimits& limits, const DeploymentReplicaSets& sets);

// Updates the counts and conditions of `status`. Returns the progress deadline if it is still
// ahead.
std::optional<Instant> SetDeploymentStatus(const JsonObject& deployment,
                                           const DeploymentReplicaSets& sets, Instant now,
                                           JsonObject& status);

}  // namespace berth::localcluster
