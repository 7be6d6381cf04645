// Rules for what a container requests and is limited to.
#include <fmt/format.h>

#include <string_view>

#include "admission/field_errors.h"
#include "admission/validate.h"
#include "api/quantity.h"
#include "api/selector.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

bool IsHugePages(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsStandard(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || IsHugePages(name);
}

bool IsExtended(std::string_view name) {
  return name.find('/') != std::string_view::npos && !name.starts_with("kubernetes.io/") &&
         !name.starts_with("requests.");
}

// Whoever is over its request can be squeezed for these only.
bool MayOvercommit(std::string_view name) { return !IsExtended(name) && !IsHugePages(name); }

void ValidateName(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  for (const std::string& what : api::QualifiedNameErrors(name)) errors.Invalid(path, name, what);
  if (name.find('/') == std::string_view::npos && !IsStandard(name)) {
    errors.Invalid(path, name, "must be a standard resource for containers");
  }
}

void ValidateList(const JsonObject* list, const FieldPath& path, FieldErrors& errors) {
  if (!list) return;
  for (const auto& [key, value] : *list) {
    const FieldPath at = path.Key(key);
    ValidateName(key, at, errors);
    const std::string_view text = AsString(value);
    const Result<api::Quantity> quantity = api::Quantity::Parse(text);
    if (!quantity) {
      errors.Invalid(at, text, quantity.error().message);
      continue;
    }
    if (quantity->Sign() < 0) {
      errors.Invalid(at, text, "must be greater than or equal to 0");
    } else if (IsExtended(key) && quantity->MilliValue() % 1000 != 0) {
      errors.Invalid(at, text, "must be an integer");
    }
  }
}

}  // namespace

void ValidateResources(const JsonObject* container, const FieldPath& path, FieldErrors& errors) {
  const JsonObject* resources = ObjectAt(container, "resources");
  if (!resources || resources->empty()) return;
  const FieldPath at = path / "resources";
  const FieldPath requests_path = at / "requests";
  const FieldPath limits_path = at / "limits";
  const JsonObject* requests = ObjectAt(resources, "requests");
  const JsonObject* limits = ObjectAt(resources, "limits");
  ValidateList(limits, limits_path, errors);
  ValidateList(requests, requests_path, errors);
  if (!requests) return;
  for (const auto& [key, value] : *requests) {
    const Json* limit_value = At(limits, key);
    if (!limit_value) {
      if (!MayOvercommit(key)) {
        errors.Required(limits_path, "Limit must be set for non overcommitable resources");
      }
      continue;
    }
    const std::string_view text = AsString(value);
    const std::string_view limit_text = AsString(limit_value);
    const Result<api::Quantity> request = api::Quantity::Parse(text);
    const Result<api::Quantity> limit = api::Quantity::Parse(limit_text);
    if (!request || !limit) continue;
    if (!MayOvercommit(key)) {
      if (*request == *limit) continue;
      errors.Invalid(
          requests_path, text,
          fmt::format("must be equal to {} limit of {}", std::string_view(key), limit_text));
    } else if (*request > *limit) {
      errors.Invalid(requests_path, text,
                     fmt::format("must be less than or equal to {} limit of {}",
                                 std::string_view(key), limit_text));
    }
  }
}

}  // namespace berth::apiserver
