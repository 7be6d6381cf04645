// Defaults of volumes, claims, storage classes and CSI drivers.
#include <string_view>

#include "admission/defaults.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

void DefaultCsiDriver(JsonObject& spec) {
  DefaultBool(spec, "attachRequired", true);
  DefaultBool(spec, "podInfoOnMount", false);
  DefaultBool(spec, "storageCapacity", false);
  DefaultString(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  DefaultBool(spec, "requiresRepublish", false);
  DefaultBool(spec, "seLinuxMount", false);
  if (EmptyAt(&spec, "volumeLifecycleModes")) {
    ArrayIn(spec, "volumeLifecycleModes").emplace_back("Persistent");
  }
}

}  // namespace

bool DefaultStorage(const Kind& kind, JsonObject& document) {
  const std::string_view name = kind.kind;
  if (name == "StorageClass") {
    DefaultString(document, "reclaimPolicy", "Delete");
    DefaultString(document, "volumeBindingMode", "Immediate");
  } else if (name == "CSIDriver") {
    DefaultCsiDriver(ObjectIn(document, "spec"));
  } else if (name == "PersistentVolume") {
    JsonObject& spec = ObjectIn(document, "spec");
    DefaultString(spec, "persistentVolumeReclaimPolicy", "Retain");
    DefaultString(spec, "volumeMode", "Filesystem");
    DefaultString(ObjectIn(document, "status"), "phase", "Pending");
  } else if (name == "PersistentVolumeClaim") {
    DefaultString(ObjectIn(document, "spec"), "volumeMode", "Filesystem");
    DefaultString(ObjectIn(document, "status"), "phase", "Pending");
  } else {
    return false;
  }
  return true;
}

}  // namespace berth::apiserver
