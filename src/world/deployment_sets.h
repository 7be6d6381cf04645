// The ReplicaSets of a Deployment as its controller looks at them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/json.h"
#include "base/time.h"
#include "store/object.h"
#include "world/documents.h"
#include "world/rollout.h"

namespace berth::world {

inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";

struct DeploymentSet {
  store::ObjectPtr object;
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

  static DeploymentSet Read(store::ObjectPtr object);
};

struct DeploymentSets {
  std::vector<DeploymentSet> old_sets;  // From the oldest on.
  std::optional<DeploymentSet> new_set;

  int64_t Sum(int64_t DeploymentSet::* field) const;
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

}  // namespace berth::world
