// The layouts of volumes, storage and devices.
#include <algorithm>

#include "apiserver/printing/columns.h"

namespace berth::apiserver::printing {
namespace {

std::string AccessModes(api::JsonView modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"ReadWriteOnce", "RWO"},
                                                                      {"ReadOnlyMany", "ROX"},
                                                                      {"ReadWriteMany", "RWX"},
                                                                      {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> texts;
  for (const auto& entry : kShort) {
    const auto is_mode = [&](api::JsonView item) { return item.text() == entry.first; };
    if (std::ranges::any_of(modes.items(), is_mode)) texts.emplace_back(entry.second);
  }
  return Join(texts, ",");
}

std::string Phase(api::JsonView object) {
  if (IsBeingDeleted(object)) return "Terminating";
  return std::string(object["status"]["phase"].text());
}

// The beta annotation takes precedence over the field.
std::string StorageClassOf(api::JsonView object) {
  const api::JsonView annotation =
      object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
  return std::string(annotation ? annotation.text() : object["spec"]["storageClassName"].text());
}

std::string OrUnset(api::JsonView text) { return std::string(text.text_or("<unset>")); }

std::string Amount(api::JsonView quantity) { return quantity ? quantity.scalar() : "0"; }

Cells VolumeCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  std::string claim;
  if (const api::JsonView ref = spec["claimRef"]) {
    claim = std::string(ref["namespace"].text()) + "/" + std::string(ref["name"].text());
  }
  return {NameOf(object),
          Amount(spec["capacity"]["storage"]),
          AccessModes(spec["accessModes"]),
          std::string(spec["persistentVolumeReclaimPolicy"].text()),
          Phase(object),
          std::move(claim),
          StorageClassOf(object),
          OrUnset(spec["volumeAttributesClassName"]),
          std::string(object["status"]["reason"].text()),
          AgeOf(object, now),
          OrUnset(spec["volumeMode"])};
}

Cells ClaimCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  const std::string volume(spec["volumeName"].text());
  // The cells about the volume are empty while the claim is unbound.
  const api::JsonView status = volume.empty() ? api::JsonView() : object["status"];
  return {NameOf(object),
          Phase(object),
          volume,
          volume.empty() ? std::string() : Amount(status["capacity"]["storage"]),
          AccessModes(status["accessModes"]),
          StorageClassOf(object),
          OrUnset(spec["volumeAttributesClassName"]),
          AgeOf(object, now),
          OrUnset(spec["volumeMode"])};
}

Cells StorageClassCells(api::JsonView object, Instant now) {
  const api::JsonView annotations = object["metadata"]["annotations"];
  std::string name = NameOf(object);
  for (const char* key : {"storageclass.kubernetes.io/is-default-class",
                          "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (annotations[key].text() != "true") continue;
    name += " (default)";
    break;
  }
  return {std::move(name),
          std::string(object["provisioner"].text()),
          std::string(object["reclaimPolicy"].text_or("Delete")),
          std::string(object["volumeBindingMode"].text_or("Immediate")),
          object["allowVolumeExpansion"].flag(),
          AgeOf(object, now)};
}

Cells AttributesClassCells(api::JsonView object, Instant now) {
  return {NameOf(object), std::string(object["driverName"].text()), AgeOf(object, now)};
}

Cells AttachmentCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  return {NameOf(object),
          std::string(spec["attacher"].text()),
          std::string(spec["source"]["persistentVolumeName"].text()),
          std::string(spec["nodeName"].text()),
          object["status"]["attached"].flag(),
          AgeOf(object, now)};
}

Cells CsiNodeCells(api::JsonView object, Instant now) {
  return {NameOf(object), static_cast<int64_t>(object["spec"]["drivers"].size()),
          AgeOf(object, now)};
}

Cells CsiDriverCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  const api::JsonView attach = spec["attachRequired"];
  std::vector<std::string> modes;
  for (const api::JsonView mode : spec["volumeLifecycleModes"].items())
    modes.emplace_back(mode.text());
  std::vector<std::string> audiences;
  for (const api::JsonView request : spec["tokenRequests"].items()) {
    audiences.emplace_back(request["audience"].text());
  }
  return {NameOf(object),
          !attach || attach.flag(),
          spec["podInfoOnMount"].flag(),
          spec["storageCapacity"].flag(),
          spec["tokenRequests"] ? Join(audiences, ",") : std::string("<unset>"),
          spec["requiresRepublish"].flag(),
          modes.empty() ? std::string("<none>") : Join(modes, ","),
          AgeOf(object, now)};
}

Cells CapacityCells(api::JsonView object, Instant) {
  const api::JsonView capacity = object["capacity"];
  return {NameOf(object), std::string(object["storageClassName"].text()),
          capacity ? capacity.scalar() : std::string("<unset>")};
}

std::string ClaimState(api::JsonView claim) {
  std::string state = IsBeingDeleted(claim) ? "deleted" : "";
  if (!claim["status"]["allocation"]) return state.empty() ? "pending" : state;
  if (!state.empty()) state += ",";
  state += "allocated";
  return claim["status"]["reservedFor"].size() > 0 ? state + ",reserved" : state;
}

Cells ResourceClaimCells(api::JsonView object, Instant now) {
  return {NameOf(object), ClaimState(object), AgeOf(object, now)};
}

Cells ResourceSliceCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  return {NameOf(object), std::string(spec["nodeName"].text()), std::string(spec["driver"].text()),
          std::string(spec["pool"]["name"].text()), AgeOf(object, now)};
}

}  // namespace

Layouts StorageLayouts() {
  const TableColumn kClass = {"StorageClass", "Class of the volume."};
  const TableColumn kAttributes = {"VolumeAttributesClass", "Class of mutable attributes."};
  const TableColumn kModes = {"Access Modes", "Ways in which the volume can be mounted."};
  const TableColumn kCapacity = {"Capacity", "Size of the volume."};
  const TableColumn kMode = {"VolumeMode", "Filesystem or Block.", true};
  return {
      {"persistentvolumes",
       {{NameColumn(),
         kCapacity,
         kModes,
         {"Reclaim Policy", "What happens to the volume when it is released."},
         {"Status", "Phase of the volume."},
         {"Claim", "Claim that the volume is bound to."},
         kClass,
         kAttributes,
         {"Reason", "Why the volume failed."},
         AgeColumn(),
         kMode},
        VolumeCells}},
      {"persistentvolumeclaims",
       {{NameColumn(),
         {"Status", "Whether the claim is bound."},
         {"Volume", "Volume that the claim is bound to."},
         kCapacity,
         kModes,
         kClass,
         kAttributes,
         AgeColumn(),
         kMode},
        ClaimCells}},
      {"storageclasses.storage.k8s.io",
       {{NameColumn(),
         {"Provisioner", "Who makes the volumes."},
         {"ReclaimPolicy", "What becomes of volumes after their claims."},
         {"VolumeBindingMode", "When volumes are bound and made."},
         {"AllowVolumeExpansion", "Whether volumes may grow."},
         AgeColumn()},
        StorageClassCells}},
      {"volumeattributesclasses.storage.k8s.io",
       {{NameColumn(), {"DriverName", "Driver that it is for."}, AgeColumn()},
        AttributesClassCells}},
      {"volumeattachments.storage.k8s.io",
       {{NameColumn(),
         {"Attacher", "Driver that attaches the volume.", false, "string", "name"},
         {"PV", "Volume."},
         {"Node", "Node of the attachment."},
         {"Attached", "Whether the volume is attached.", false, "boolean"},
         AgeColumn()},
        AttachmentCells}},
      {"csinodes.storage.k8s.io",
       {{NameColumn(), {"Drivers", "Drivers on the node.", false, "integer"}, AgeColumn()},
        CsiNodeCells}},
      {"csidrivers.storage.k8s.io",
       {{NameColumn(),
         {"AttachRequired", "Whether volumes must be attached.", false, "boolean"},
         {"PodInfoOnMount", "Whether mount calls include pod information.", false, "boolean"},
         {"StorageCapacity", "Whether the scheduler considers storage capacity.", false, "boolean"},
         {"TokenRequests", "Audiences of the requested tokens."},
         {"RequiresRepublish", "Whether volumes are republished periodically.", false, "boolean"},
         {"Modes", "Supported volume modes."},
         AgeColumn()},
        CsiDriverCells}},
      {"csistoragecapacities.storage.k8s.io",
       {{NameColumn(),
         {"StorageClassName", "Class of the volumes."},
         {"Capacity", "Available capacity."}},
        CapacityCells}},
      {"resourceclaims.resource.k8s.io",
       {{NameColumn(), {"State", "Pending, allocated, reserved."}, AgeColumn()},
        ResourceClaimCells}},
      {"resourceclaimtemplates.resource.k8s.io", {{NameColumn(), AgeColumn()}, NameAndAge}},
      {"resourceslices.resource.k8s.io",
       {{NameColumn(),
         {"Node", "Node that has the devices."},
         {"Driver", "Driver of the devices."},
         {"Pool", "Pool of the devices."},
         AgeColumn()},
        ResourceSliceCells}},
      {"deviceclasses.resource.k8s.io", {{NameColumn(), AgeColumn()}, NameAndAge}},
  };
}

}  // namespace berth::apiserver::printing
