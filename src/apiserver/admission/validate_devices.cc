// Validation of claims, templates and classes of devices.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/pod_resources.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/device_fields.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/request_names.h"
#include "apiserver/admission/validation.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::admission {

RequestNames::RequestNames(const api::JsonObject* claim_spec) {
  const api::JsonArray* requests = api::ArrayAt(api::ObjectAt(claim_spec, "devices"), "requests");
  for (size_t i = 0; requests && i < requests->size(); ++i) {
    const api::JsonObject* request = api::AsObject((*requests)[i]);
    auto& alternatives = names_[api::StringAt(request, "name")];
    const api::JsonArray* list = api::ArrayAt(request, "firstAvailable");
    for (size_t k = 0; list && k < list->size(); ++k)
      alternatives.insert(NameOfElement((*list)[k]));
  }
}

bool RequestNames::Contains(std::string_view reference) const {
  const size_t slash = reference.find('/');
  const auto request = names_.find(reference.substr(0, slash));
  if (request == names_.end()) return false;
  return slash == std::string_view::npos || request->second.contains(reference.substr(slash + 1));
}

void RequestNames::CheckReference(std::string_view reference, const FieldPath& path,
                                  FieldErrors& errors) const {
  constexpr std::string_view kUnknown =
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated by '/'";
  const size_t slash = reference.find('/');
  if (slash != std::string_view::npos && reference.substr(slash + 1).contains('/')) {
    return errors.Invalid(path, reference, kUnknown);
  }
  CheckLabelText(reference.substr(0, slash), path, errors);
  if (slash != std::string_view::npos) CheckLabelText(reference.substr(slash + 1), path, errors);
  if (!Contains(reference)) errors.Invalid(path, reference, kUnknown);
}

void RequestNames::CheckReferences(const api::JsonObject* holder, const FieldPath& path,
                                   FieldErrors& errors) const {
  CheckSet(
      api::ArrayAt(holder, "requests"), kMaxRequests, path / "requests", errors,
      [&](const api::Json& name, const FieldPath& at) {
        CheckReference(api::AsString(name), at, errors);
      },
      TextOfElement);
}

void CheckDeviceConfiguration(const api::JsonObject* config, bool is_stored, const FieldPath& path,
                              FieldErrors& errors) {
  const api::JsonObject* opaque = api::ObjectAt(config, "opaque");
  const FieldPath at = path / "opaque";
  if (opaque == nullptr) return errors.Required(at);
  CheckDriverName(api::StringAt(opaque, "driver"), at / "driver", errors);
  CheckParameters(api::At(opaque, "parameters"), is_stored, at / "parameters", errors);
}

namespace {

constexpr size_t kMaxAlternatives = 8;
constexpr size_t kMaxConstraints = 32;

void CheckAllocationMode(const api::JsonObject* request, const FieldPath& path,
                         FieldErrors& errors) {
  const std::string_view mode = api::StringAt(request, "allocationMode");
  const int64_t count = api::IntAt(request, "count").value_or(0);
  if (mode == "All") {
    if (count != 0) {
      errors.Invalid(path / "count", count, "must not be specified when allocationMode is 'All'");
    }
  } else if (mode == "ExactCount") {
    if (count <= 0) errors.Invalid(path / "count", count, "must be greater than zero");
  } else {
    errors.NotSupported(path / "allocationMode", mode, {"All", "ExactCount"});
  }
}

// What exact requests and alternatives have in common.
void CheckDevicesOfRequest(const api::JsonObject* request, const FieldPath& path,
                           FieldErrors& errors) {
  const std::string_view device_class = api::StringAt(request, "deviceClassName");
  if (device_class.empty()) {
    errors.Required(path / "deviceClassName");
  } else if (const auto what = CheckDnsSubdomain(device_class)) {
    errors.Invalid(path / "deviceClassName", device_class, *what);
  }
  CheckSelectors(request, path, errors);
  CheckAllocationMode(request, path, errors);
  CheckTolerations(request, path, errors);
}

void CheckRequest(const api::JsonObject* request, const FieldPath& path, FieldErrors& errors) {
  CheckLabelText(api::StringAt(request, "name"), path / "name", errors);
  const api::JsonObject* exactly = api::ObjectAt(request, "exactly");
  const bool has_alternatives = !api::EmptyAt(request, "firstAvailable");
  if (exactly != nullptr && has_alternatives) {
    errors.InvalidText(path, "null",
                       "exactly one of `exactly` or `firstAvailable` is required, but multiple "
                       "fields are set");
  } else if (exactly != nullptr) {
    CheckDevicesOfRequest(exactly, path / "exactly", errors);
  } else if (has_alternatives) {
    CheckSet(
        api::ArrayAt(request, "firstAvailable"), kMaxAlternatives, path / "firstAvailable", errors,
        [&](const api::Json& element, const FieldPath& at) {
          CheckLabelText(NameOfElement(element), at / "name", errors);
          CheckDevicesOfRequest(api::AsObject(element), at, errors);
        },
        NameOfElement);
  } else {
    errors.Required(path, "exactly one of `exactly` or `firstAvailable` is required");
  }
}

void CheckConstraint(const api::JsonObject* constraint, const RequestNames& names,
                     const FieldPath& path, FieldErrors& errors) {
  names.CheckReferences(constraint, path, errors);
  for (const std::string_view key : {"matchAttribute", "distinctAttribute"}) {
    if (const api::Json* attribute = api::At(constraint, key)) {
      return CheckQualifiedAttributeName(api::AsString(attribute), path / key, errors);
    }
  }
  errors.Required(path,
                  "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but "
                  "multiple fields are set");
}

void ValidateClaimSpec(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const api::JsonObject* devices = api::ObjectAt(spec, "devices");
  const FieldPath at = path / "devices";
  const RequestNames names(spec);
  CheckSet(
      api::ArrayAt(devices, "requests"), kMaxRequests, at / "requests", errors,
      [&](const api::Json& request, const FieldPath& request_path) {
        CheckRequest(api::AsObject(request), request_path, errors);
      },
      NameOfElement);
  CheckEach(api::ArrayAt(devices, "constraints"), kMaxConstraints, at / "constraints", errors,
            [&](const api::Json& constraint, const FieldPath& constraint_path) {
              CheckConstraint(api::AsObject(constraint), names, constraint_path, errors);
            });
  CheckEach(api::ArrayAt(devices, "config"), kMaxDeviceConfigs, at / "config", errors,
            [&](const api::Json& config, const FieldPath& config_path) {
              names.CheckReferences(api::AsObject(config), config_path, errors);
              CheckDeviceConfiguration(api::AsObject(config), false, config_path, errors);
            });
}

void ImmutableSpec(const api::JsonObject& before, const api::JsonObject& after,
                   FieldErrors& errors) {
  if (api::SameAt(&before, &after, "spec")) return;
  const api::Json* spec = api::At(&after, "spec");
  errors.InvalidValue(FieldPath("spec"), spec ? *spec : api::Json(), "field is immutable");
}

void ValidateClaimTemplate(const api::JsonObject& document, FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const api::JsonObject* metadata = api::ObjectAt(spec, "metadata");
  const FieldPath path("spec");
  const FieldPath metadata_path = path / "metadata";
  for (const auto& member : metadata ? *metadata : api::JsonObject()) {
    const std::string_view key = member.key();
    if (key == "labels" || key == "annotations" || api::IsEmpty(&member.value())) continue;
    errors.Forbidden(metadata_path / key, "cannot be set for a Pod template");
  }
  ValidateLabels(api::At(metadata, "labels"), metadata_path / "labels", errors);
  ValidateClaimSpec(api::ObjectAt(spec, "spec"), path / "spec", errors);
}

void ValidateClass(const api::JsonObject* before, const api::JsonObject& document,
                   FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const api::JsonObject* old_spec = before ? api::ObjectAt(before, "spec") : nullptr;
  const FieldPath path("spec");
  // What was accepted once stays valid.
  const bool same_selectors = before != nullptr && api::SameAt(old_spec, spec, "selectors");
  const bool same_config = before != nullptr && api::SameAt(old_spec, spec, "config");
  if (!same_selectors) CheckSelectors(spec, path, errors);
  CheckEach(api::ArrayAt(spec, "config"), kMaxDeviceConfigs, path / "config", errors,
            [&](const api::Json& config, const FieldPath& at) {
              CheckDeviceConfiguration(api::AsObject(config), same_config, at, errors);
            });
  const api::Json* name = api::At(spec, "extendedResourceName");
  if (name != nullptr && !api::IsExtendedResource(api::AsString(name))) {
    errors.Invalid(path / "extendedResourceName", api::AsString(name),
                   "must be a valid extended resource name");
  }
}

}  // namespace

void ValidateDevices(const api::scheme::Kind& kind, const api::JsonObject* before,
                     const api::JsonObject& document, FieldErrors& errors) {
  const std::string_view name = kind.kind;
  if (name == "ResourceSlice") return ValidateResourceSlice(before, document, errors);
  if (name == "DeviceClass") return ValidateClass(before, document, errors);
  if (name == "ResourceClaimTemplate") {
    ValidateClaimTemplate(document, errors);
  } else if (before == nullptr) {
    ValidateClaimSpec(api::ObjectAt(&document, "spec"), FieldPath("spec"), errors);
  }
  if (before != nullptr) ImmutableSpec(*before, document, errors);
}

namespace {

constexpr std::string_view kAdminAccessLabel = "resource.kubernetes.io/admin-access";

bool AllowsAdminAccess(const store::Store& store, const api::JsonObject& document) {
  static const store::Collection namespaces = api::scheme::KindOf("namespaces").collection;
  const std::string name(api::StringAt(MetadataOf(document), "namespace"));
  const auto object = store.Get(namespaces, {"", name});
  if (!object) return false;
  const api::Json space = store::Parse(*object);
  const api::JsonObject* labels = api::ObjectAt(MetadataOf(space.get_object()), "labels");
  return api::StringAt(labels, kAdminAccessLabel) == "true";
}

// Returns the index of the first element with admin access, itself or in its member `holder`.
std::optional<size_t> FindAdminAccess(const api::JsonArray* list, std::string_view holder) {
  for (size_t i = 0; list && i < list->size(); ++i) {
    const api::JsonObject* element = api::AsObject((*list)[i]);
    if (!holder.empty()) element = api::ObjectAt(element, holder);
    if (api::BoolAt(element, "adminAccess")) return i;
  }
  return std::nullopt;
}

const api::JsonArray* ResultsOf(const api::JsonObject& claim) {
  const api::JsonObject* allocation = api::ObjectAt(api::ObjectAt(&claim, "status"), "allocation");
  return api::ArrayAt(api::ObjectAt(allocation, "devices"), "results");
}

}  // namespace

void ValidateAdminAccess(const store::Store& store, const api::scheme::Kind& kind,
                         const api::JsonObject* before, const api::JsonObject& document,
                         FieldErrors& errors) {
  const bool is_template = kind.kind == "ResourceClaimTemplate";
  if (!is_template && kind.kind != "ResourceClaim") return;
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (is_template) spec = api::ObjectAt(spec, "spec");
  const api::JsonArray* requests = api::ArrayAt(api::ObjectAt(spec, "devices"), "requests");
  // An allocation does not change: one that was there before was allowed.
  const api::JsonArray* results =
      before != nullptr && ResultsOf(*before) == nullptr ? ResultsOf(document) : nullptr;
  const auto found =
      before == nullptr ? FindAdminAccess(requests, "exactly") : FindAdminAccess(results, "");
  if (!found || AllowsAdminAccess(store, document)) return;
  const std::string_view list =
      before == nullptr ? "spec.devices.requests" : "status.allocation.devices.results";
  errors.Forbidden(fmt::format("{}[{}].adminAccess", list, *found),
                   "admin access to devices requires the `resource.kubernetes.io/admin-access: "
                   "true` label on the containing namespace");
}

}  // namespace berth::apiserver::admission
