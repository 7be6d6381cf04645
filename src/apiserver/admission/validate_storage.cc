// Validation of volumes, claims and storage classes.
#include <algorithm>
#include <array>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {

namespace {

// The members of a volume's spec that are not its source.
constexpr std::array<std::string_view, 9> kVolumeSettings = {"capacity",
                                                             "accessModes",
                                                             "claimRef",
                                                             "persistentVolumeReclaimPolicy",
                                                             "volumeMode",
                                                             "mountOptions",
                                                             "nodeAffinity",
                                                             "storageClassName",
                                                             "volumeAttributesClassName"};

bool IsSource(std::string_view key) {
  return std::ranges::find(kVolumeSettings, key) == kVolumeSettings.end();
}

void ValidateAccessModes(const api::JsonObject* spec, const FieldPath& path,
                         std::string_view missing, FieldErrors& errors) {
  const FieldPath at = path / "accessModes";
  if (api::EmptyAt(spec, "accessModes")) return errors.Required(at, missing);
  for (const api::Json& mode : *api::ArrayAt(spec, "accessModes")) {
    const std::string_view name = api::AsString(mode);
    if (name != "ReadWriteOnce" && name != "ReadOnlyMany" && name != "ReadWriteMany" &&
        name != "ReadWriteOncePod") {
      errors.NotSupported(at, name,
                          {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    }
  }
}

void ValidateVolume(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  ValidateAccessModes(spec, path, {}, errors);
  if (api::IsEmpty(api::At(spec, "capacity"))) errors.Required(path / "capacity");
  size_t sources = 0;
  for (const auto& member : spec ? *spec : api::JsonObject())
    sources += IsSource(member.key()) ? 1 : 0;
  if (sources == 0) errors.Required(path, "must specify a volume type");
  if (sources > 1) errors.Forbidden(path, "may not specify more than 1 volume type");
  const api::JsonObject* required = api::ObjectAt(api::ObjectAt(spec, "nodeAffinity"), "required");
  if (!required) return;
  const FieldPath affinity = path / "nodeAffinity";
  const FieldPath at = affinity / "required";
  const FieldPath terms = at / "nodeSelectorTerms";
  if (api::EmptyAt(required, "nodeSelectorTerms")) {
    errors.Required(terms, "must have at least one node selector term");
  }
  ValidateNodeSelectorTerms(api::ArrayAt(required, "nodeSelectorTerms"), terms, errors);
}

void ValidateClaim(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  ValidateAccessModes(spec, path, "at least 1 access mode is required", errors);
  if (!api::At(api::ObjectAt(api::ObjectAt(spec, "resources"), "requests"), "storage")) {
    const FieldPath resources = path / "resources";
    errors.Required(resources.Key("storage"));
  }
}

void ValidateClaimUpdate(const api::JsonObject* before, const api::JsonObject* after,
                         FieldErrors& errors) {
  const auto may_change = [&](std::string_view key) {
    // A claim is bound once, and its class may be set once.
    if (key == "volumeName") return api::StringAt(before, key).empty();
    if (key == "storageClassName") return !api::At(before, key);
    return key == "resources" || key == "volumeAttributesClassName";
  };
  const auto covered = [&](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      return api::SameAt(&a, &b, member.key()) || may_change(member.key());
    });
  };
  if (covered(*before, *after) && covered(*after, *before)) return;
  errors.Forbidden(FieldPath("spec"),
                   "spec is immutable after creation except resources.requests and "
                   "volumeAttributesClassName for bound claims");
}

void ValidateVolumeUpdate(const api::JsonObject* before, const api::JsonObject* after,
                          FieldErrors& errors) {
  const auto same_source = [](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      return !IsSource(member.key()) || api::SameAt(&a, &b, member.key());
    });
  };
  const FieldPath path("spec");
  if (!same_source(*before, *after) || !same_source(*after, *before)) {
    errors.Forbidden(path / "persistentvolumesource",
                     "spec.persistentvolumesource is immutable after creation");
  }
  Immutable(before, after, "volumeMode", path, errors);
}

}  // namespace

bool ValidateStorage(const api::scheme::Kind& kind, const api::JsonObject& document,
                     FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (kind.kind == "PersistentVolume") {
    ValidateVolume(spec, errors);
  } else if (kind.kind == "PersistentVolumeClaim") {
    ValidateClaim(spec, errors);
  } else if (kind.kind == "StorageClass") {
    if (api::StringAt(&document, "provisioner").empty()) errors.Required(FieldPath("provisioner"));
    const std::string_view mode = api::StringAt(&document, "volumeBindingMode");
    if (mode != "Immediate" && mode != "WaitForFirstConsumer") {
      errors.NotSupported(FieldPath("volumeBindingMode"), mode,
                          {"Immediate", "WaitForFirstConsumer"});
    }
    const std::string_view reclaim = api::StringAt(&document, "reclaimPolicy");
    if (reclaim != "Delete" && reclaim != "Retain") {
      errors.NotSupported(FieldPath("reclaimPolicy"), reclaim, {"Delete", "Retain"});
    }
  } else {
    return false;
  }
  return true;
}

bool ValidateStorageUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                           const api::JsonObject& after, FieldErrors& errors) {
  const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
  const api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  if (kind.kind == "PersistentVolume" && old_spec && new_spec) {
    ValidateVolumeUpdate(old_spec, new_spec, errors);
  } else if (kind.kind == "PersistentVolumeClaim" && old_spec && new_spec) {
    ValidateClaimUpdate(old_spec, new_spec, errors);
  } else if (kind.kind == "StorageClass") {
    for (const std::string_view key : {"parameters", "provisioner", "reclaimPolicy"}) {
      if (api::SameAt(&before, &after, key)) continue;
      errors.Forbidden(FieldPath(key), "updates to " + std::string(key) + " are forbidden.");
    }
    if (!api::SameAt(&before, &after, "volumeBindingMode")) {
      errors.Invalid(FieldPath("volumeBindingMode"), api::StringAt(&after, "volumeBindingMode"),
                     "field is immutable");
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace berth::apiserver::admission
