#include "apiserver/admission/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "api/selector.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/workloads.h"

namespace berth::apiserver::admission {

namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLowerOrDigit(char c) { return IsLower(c) || (c >= '0' && c <= '9'); }

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool IsLabel(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

std::string TooLong(size_t limit) { return fmt::format("must be no more than {} bytes", limit); }

}  // namespace

std::optional<std::string> CheckDnsLabel(std::string_view text) {
  if (text.size() > kMaxLabel) return TooLong(kMaxLabel);
  if (IsLabel(text)) return std::nullopt;
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
         "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
         "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

std::optional<std::string> CheckDns1035Label(std::string_view text) {
  if (text.size() > kMaxLabel) return TooLong(kMaxLabel);
  if (IsLabel(text) && IsLower(text.front())) return std::nullopt;
  return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
         "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
         "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

std::optional<std::string> CheckDnsSubdomain(std::string_view text) {
  if (text.size() > kMaxSubdomain) return TooLong(kMaxSubdomain);
  bool valid = true;
  std::string_view rest = text;
  for (bool more = true; valid && more;) {
    const size_t dot = rest.find('.');
    valid = IsLabel(rest.substr(0, dot));
    more = dot != std::string_view::npos;
    if (more) rest.remove_prefix(dot + 1);
  }
  if (valid) return std::nullopt;
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
         "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
         "regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

std::optional<std::string> CheckPathSegment(std::string_view text) {
  if (text == "." || text == "..") return fmt::format("may not be '{}'", text);
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) return fmt::format("may not contain '{}'", c);
  }
  if (text.size() > kMaxSubdomain) return TooLong(kMaxSubdomain);
  return std::nullopt;
}

std::optional<std::string> CheckConfigMapKey(std::string_view text) {
  if (text.size() > kMaxSubdomain) return TooLong(kMaxSubdomain);
  const bool valid = !text.empty() && std::ranges::all_of(text, [](char c) {
    return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
  });
  if (!valid) {
    return "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
           "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
           "'[-._a-zA-Z0-9]+')";
  }
  if (text == "." || text == "..") return fmt::format("must not be '{}'", text);
  if (text.starts_with("..")) return "must not start with '..'";
  return std::nullopt;
}

std::optional<std::string> CheckName(const api::scheme::Kind& kind, std::string_view name) {
  if (kind.custom != nullptr) return CheckDnsSubdomain(name);
  const std::string_view resource = kind.resource;
  if (kind.group.empty()) {
    if (resource == "namespaces") return CheckDnsLabel(name);

    if (resource == "services") return CheckDns1035Label(name);
  }
  if (kind.group == "rbac.authorization.k8s.io") return CheckPathSegment(name);
  if (kind.kind == "LeaseCandidate") return CheckConfigMapKey(name);
  // "v1." of the core group; an address of IPv6.
  if (resource == "apiservices" || resource == "ipaddresses") return CheckPathSegment(name);
  return CheckDnsSubdomain(name);
}

namespace {

constexpr size_t kMaxAnnotations = 256 * 1024;

void ValidateAnnotations(const api::JsonObject* annotations, const FieldPath& path,
                         FieldErrors& errors) {
  if (!annotations) return;
  size_t size = 0;
  for (const auto& [key, value] : *annotations) {
    std::string lower(key);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const std::string& what : api::QualifiedNameErrors(lower)) {
      errors.Invalid(path, std::string_view(key), what);
    }
    size += key.size() + api::AsString(value).size();
  }
  if (size > kMaxAnnotations) errors.TooLong(path, kMaxAnnotations);
}

void ValidateOwners(const api::JsonArray* owners, const FieldPath& path, FieldErrors& errors) {
  if (!owners) return;
  std::string_view controller;
  std::string list;  // For errors.
  for (size_t i = 0; i < owners->size(); ++i) {
    const api::JsonObject* owner = api::AsObject((*owners)[i]);
    const FieldPath at = path[i];
    for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
      if (!api::StringAt(owner, key).empty()) continue;
      errors.Invalid(at / key, "",
                     fmt::format("{} must not be empty", key == "apiVersion" ? "version" : key));
    }
    if (!api::BoolAt(owner, "controller")) continue;
    if (!controller.empty()) {
      if (list.empty()) list = api::Limited(api::ToJsonText(api::Json(*owners)));
      errors.InvalidText(path, list,
                         fmt::format("Only one reference can have Controller set to true. Found "
                                     "\"true\" in references for {} and {}",
                                     controller, api::StringAt(owner, "name")));
    }
    controller = api::StringAt(owner, "name");
  }
}

void ValidateRequirement(const api::JsonObject* requirement, const FieldPath& path,
                         FieldErrors& errors) {
  const std::string_view key = api::StringAt(requirement, "key");
  const std::string_view op = api::StringAt(requirement, "operator");
  const bool has_values = !api::EmptyAt(requirement, "values");
  if (op == "In" || op == "NotIn") {
    if (!has_values) {
      errors.Required(path / "values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (has_values) {
      errors.Forbidden(path / "values",
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    errors.Invalid(path / "operator", op, "not a valid selector operator");
  }
  for (const std::string& what : api::QualifiedNameErrors(key)) {
    errors.Invalid(path / "key", key, what);
  }
  const FieldPath values = path / "values";
  if (const api::JsonArray* list = api::ArrayAt(requirement, "values")) {
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string_view value = api::AsString((*list)[i]);
      if (const auto what = api::ValidateLabelValue(value)) {
        errors.Invalid(values[i], value, *what);
      }
    }
  }
}

}  // namespace

void ValidateLabels(const api::Json* labels, const FieldPath& path, FieldErrors& errors) {
  const api::JsonObject* map = api::AsObject(labels);
  if (!map) return;
  for (const auto& [key, value] : *map) {
    for (const std::string& what : api::QualifiedNameErrors(key)) {
      errors.Invalid(path, std::string_view(key), what);
    }
    const std::string_view text = api::AsString(value);
    if (const auto what = api::ValidateLabelValue(text)) errors.Invalid(path, text, *what);
  }
}

void ValidateLabelSelector(const api::JsonObject* selector, const FieldPath& path,
                           FieldErrors& errors) {
  if (!selector) return;
  ValidateLabels(api::At(selector, "matchLabels"), path / "matchLabels", errors);
  const FieldPath expressions = path / "matchExpressions";
  if (const api::JsonArray* list = api::ArrayAt(selector, "matchExpressions")) {
    for (size_t i = 0; i < list->size(); ++i) {
      ValidateRequirement(api::AsObject((*list)[i]), expressions[i], errors);
    }
  }
}

void ValidateMetadata(const api::scheme::Kind& kind, const api::JsonObject& document,
                      FieldErrors& errors) {
  const FieldPath path("metadata");
  const api::JsonObject* metadata = MetadataOf(document);
  const std::string_view name = api::StringAt(metadata, "name");
  const std::string_view prefix = api::StringAt(metadata, "generateName");
  if (name.empty() && prefix.empty()) {
    errors.Required(path / "name", "name or generateName is required");
  } else if (!name.empty()) {
    if (const auto what = CheckName(kind, name)) errors.Invalid(path / "name", name, *what);
  }
  ValidateLabels(api::At(metadata, "labels"), path / "labels", errors);
  ValidateAnnotations(api::ObjectAt(metadata, "annotations"), path / "annotations", errors);
  ValidateOwners(api::ArrayAt(metadata, "ownerReferences"), path / "ownerReferences", errors);
  const FieldPath finalizers = path / "finalizers";
  if (const api::JsonArray* list = api::ArrayAt(metadata, "finalizers")) {
    for (const api::Json& finalizer : *list) {
      for (const std::string& what : api::QualifiedNameErrors(api::AsString(finalizer))) {
        errors.Invalid(finalizers, api::AsString(finalizer), what);
      }
    }
  }
}

void ValidateMetadataUpdate(const api::JsonObject& before, const api::JsonObject& after,
                            FieldErrors& errors) {
  if (!IsDeleting(before)) return;
  const api::JsonArray* old_list = api::ArrayAt(MetadataOf(before), "finalizers");
  const api::JsonArray* new_list = api::ArrayAt(MetadataOf(after), "finalizers");
  if (!new_list) return;
  std::set<std::string_view> present;
  for (size_t i = 0; old_list && i < old_list->size(); ++i) {
    present.insert(api::AsString((*old_list)[i]));
  }
  std::string added;
  for (const api::Json& finalizer : *new_list) {
    if (present.contains(api::AsString(finalizer))) continue;
    if (!added.empty()) added += ", ";
    added += Quote(api::AsString(finalizer));
  }
  if (added.empty()) return;
  const FieldPath path("metadata");
  errors.Forbidden(path / "finalizers",
                   fmt::format("no new finalizers can be added if the object is being deleted, "
                               "found new finalizers []string{{{}}}",
                               added));
}

void Immutable(const api::JsonObject* before, const api::JsonObject* after, std::string_view key,
               const FieldPath& path, FieldErrors& errors) {
  if (api::SameAt(before, after, key)) return;
  const api::Json none;
  const api::Json* value = api::At(after, key);
  errors.InvalidValue(path / key, value ? *value : none, "field is immutable");
}

void Validate(const api::scheme::Kind& kind, const api::JsonObject& document, FieldErrors& errors,
              const api::JsonObject* before) {
  if (kind.group == kDeviceGroup) return ValidateDevices(kind, before, document, errors);
  if (kind.kind == "Pod") {
    return ValidatePodSpec(api::ObjectAt(&document, "spec"), FieldPath("spec"), errors);
  }
  if (ValidateWorkload(kind, document, errors)) return;
  if (ValidateStorage(kind, document, errors)) return;
  if (ValidateCoordination(kind, document, errors)) return;
  if (ValidateCluster(kind, document, errors)) return;
  if (ValidateWorkloads(kind, document, errors)) return;
  ValidateGroups(kind, document, errors);
}

void ValidateUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                    const api::JsonObject& after, FieldErrors& errors) {
  if (kind.kind == "Pod") return ValidatePodUpdate(before, after, errors);
  if (ValidateWorkloadUpdate(kind, before, after, errors)) return;
  if (ValidateStorageUpdate(kind, before, after, errors)) return;
  if (ValidateCoordinationUpdate(kind, before, after, errors)) return;
  if (ValidateClusterUpdate(kind, before, after, errors)) return;
  if (ValidateWorkloadsUpdate(kind, before, after, errors)) return;
  ValidateGroupsUpdate(kind, before, after, errors);
}

}  // namespace berth::apiserver::admission
