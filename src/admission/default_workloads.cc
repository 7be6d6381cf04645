// Defaults of the workloads of apps/v1 and of replication controllers.
#include <string_view>

#include "admission/defaults.h"
#include "admission/metadata.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

constexpr int64_t kRevisions = 10;
constexpr int64_t kProgressSeconds = 600;

void DefaultDeployment(JsonObject& spec) {
  DefaultInt(spec, "replicas", 1);
  JsonObject& strategy = ObjectIn(spec, "strategy");
  DefaultString(strategy, "type", "RollingUpdate");
  if (StringAt(&strategy, "type") == "RollingUpdate") {
    JsonObject& rolling = ObjectIn(strategy, "rollingUpdate");
    DefaultString(rolling, "maxUnavailable", "25%");
    DefaultString(rolling, "maxSurge", "25%");
  }
  DefaultInt(spec, "revisionHistoryLimit", kRevisions);
  DefaultInt(spec, "progressDeadlineSeconds", kProgressSeconds);
}

void DefaultStatefulSet(JsonObject& spec) {
  DefaultInt(spec, "replicas", 1);
  DefaultString(spec, "podManagementPolicy", "OrderedReady");
  JsonObject& strategy = ObjectIn(spec, "updateStrategy");
  DefaultString(strategy, "type", "RollingUpdate");
  if (StringAt(&strategy, "type") == "RollingUpdate") {
    DefaultInt(ObjectIn(strategy, "rollingUpdate"), "partition", 0);
  }
  DefaultInt(spec, "revisionHistoryLimit", kRevisions);
  JsonObject& retention = ObjectIn(spec, "persistentVolumeClaimRetentionPolicy");
  DefaultString(retention, "whenDeleted", "Retain");
  DefaultString(retention, "whenScaled", "Retain");
  JsonArray* claims = ArrayAt(&spec, "volumeClaimTemplates");
  for (size_t i = 0; claims && i < claims->size(); ++i) {
    JsonObject* claim = (*claims)[i].if_object();
    if (!claim) continue;
    DefaultString(*claim, "kind", "PersistentVolumeClaim");
    DefaultString(*claim, "apiVersion", "v1");
    DefaultString(ObjectIn(*claim, "spec"), "volumeMode", "Filesystem");
    DefaultString(ObjectIn(*claim, "status"), "phase", "Pending");
  }
}

void DefaultDaemonSet(JsonObject& spec) {
  JsonObject& strategy = ObjectIn(spec, "updateStrategy");
  DefaultString(strategy, "type", "RollingUpdate");
  if (StringAt(&strategy, "type") == "RollingUpdate") {
    JsonObject& rolling = ObjectIn(strategy, "rollingUpdate");
    DefaultInt(rolling, "maxUnavailable", 1);
    DefaultInt(rolling, "maxSurge", 0);
  }
  DefaultInt(spec, "revisionHistoryLimit", kRevisions);
}

// The labels of the template serve as selector and as the controller's own.
void DefaultReplicationController(JsonObject& document, JsonObject& spec) {
  DefaultInt(spec, "replicas", 1);
  const JsonObject* labels = ObjectAt(ObjectAt(ObjectAt(&spec, "template"), "metadata"), "labels");
  if (!labels) return;
  const JsonObject copy = *labels;
  if (IsEmpty(At(&spec, "selector"))) spec["selector"] = copy;
  JsonObject& metadata = MetadataOf(document);
  if (IsEmpty(At(&metadata, "labels"))) metadata["labels"] = copy;
}

}  // namespace

bool DefaultWorkload(const Kind& kind, JsonObject& document) {
  const std::string_view name = kind.kind;
  const bool known = name == "Deployment" || name == "ReplicaSet" || name == "StatefulSet" ||
                     name == "DaemonSet" || name == "ReplicationController";
  if (!known) return false;
  MetadataOf(document);
  JsonObject& spec = ObjectIn(document, "spec");
  if (JsonObject* pod = ObjectAt(&spec, "template")) DefaultPodSpec(ObjectIn(*pod, "spec"));
  if (name == "Deployment") DefaultDeployment(spec);
  if (name == "ReplicaSet") DefaultInt(spec, "replicas", 1);
  if (name == "StatefulSet") DefaultStatefulSet(spec);
  if (name == "DaemonSet") DefaultDaemonSet(spec);
  if (name == "ReplicationController") DefaultReplicationController(document, spec);
  return true;
}

}  // namespace berth::apiserver
