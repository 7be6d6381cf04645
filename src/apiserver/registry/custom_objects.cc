#include "apiserver/registry/custom_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/crd/coercion.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/crd/rule_validation.h"
#include "apiserver/crd/validation.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

const api::Json* ValueAt(const api::JsonObject& document, std::span<const std::string> path) {
  const api::JsonObject* object = &document;
  const api::Json* value = nullptr;
  for (const std::string& name : path) {
    value = api::At(object, name);
    object = api::AsObject(value);
  }
  return value;
}

namespace {

// Returns the version that the document is stored in; the storage version if that is gone.
const crd::CustomVersion& StoredVersion(const crd::CustomResource& resource,
                                        const api::JsonObject& document) {
  const std::string_view api_version = api::StringAt(&document, "apiVersion");
  const crd::CustomVersion* found =
      resource.FindVersion(api_version.substr(api_version.rfind('/') + 1));
  return found != nullptr ? *found : resource.storage();
}

}  // namespace

bool IsCurrent(const api::scheme::Kind& kind, const store::Object& object) {
  const crd::CustomVersion& version = *crd::VersionOf(kind);
  return object.version >= version.resource.current_since() &&
         object.json.starts_with(version.json_prefix);
}

void ConvertCustom(const api::scheme::Kind& kind, api::JsonObject& document) {
  const crd::CustomVersion& version = *crd::VersionOf(kind);
  const crd::CustomVersion& stored = StoredVersion(version.resource, document);
  // Defaults that would be too large are incomplete: reading must not fail.
  (void)crd::ApplyDefaults(stored.schema, document);
  crd::Prune(stored.schema, document);
  if (&stored != &version) crd::Prune(version.schema, document);
  crd::DropUnwantedNulls(version.schema, document);
  api::SetString(document, "apiVersion", version.kind.api_version());
}

api::scheme::ApiResult<void> Coerce(const api::scheme::Kind& kind, api::JsonObject& document) {
  const crd::Schema& schema = crd::VersionOf(kind)->schema;
  if (!crd::ApplyDefaults(schema, document)) {
    return std::unexpected(api::scheme::MakeError(
        413, fmt::format("the defaults of the object have more than {} bytes",
                         crd::kMaxDefaultedBytes)));
  }
  crd::Prune(schema, document);
  crd::DropUnwantedNulls(schema, document);
  if (api::JsonObject* metadata = api::ObjectAt(&document, "metadata")) {
    admission::DropNulls(*metadata);
  }
  return {};
}

void PrepareCustom(const api::scheme::Kind& kind, std::string_view subresource,
                   const api::JsonObject* before, api::JsonObject& document) {
  if (before == nullptr) {
    if (kind.has_status) document.erase("status");
    return;
  }
  admission::PrepareForUpdate(kind, subresource, *before, document);
  if (subresource == "status") return;
  const auto covers = [](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      const std::string_view key = member.key();
      if (key == "metadata" || key == "apiVersion" || key == "kind") return true;
      const api::Json* other = b.if_contains(key);
      return other != nullptr && *other == member.value();
    });
  };
  if (covers(*before, document) && covers(document, *before)) return;
  const int64_t generation = api::IntAt(admission::MetadataOf(*before), "generation").value_or(0);
  api::SetInt(admission::MetadataOf(document), "generation", generation + 1);
}

namespace {

void ValidateReplicas(const api::JsonObject& document, const std::vector<std::string>& path,
                      admission::FieldErrors& errors) {
  const api::Json* value = ValueAt(document, path);
  if (value == nullptr) return;
  const std::string field = fmt::format(".{}", fmt::join(path, "."));
  const auto replicas = api::AsInt(value);
  if (!replicas) {
    errors.Invalid(field, int64_t{0},
                   fmt::format("{} accessor error: it is not an integer", field));
  } else if (*replicas < 0) {
    errors.Invalid(field, *replicas, "should be a non-negative integer");
  } else if (*replicas > std::numeric_limits<int32_t>::max()) {
    errors.Invalid(
        field, *replicas,
        fmt::format("should be less than or equal to {}", std::numeric_limits<int32_t>::max()));
  }
}

}  // namespace

namespace {

// Reports whether the object lacks what the rules of its schema rely on.
bool PreventsRules(const std::vector<api::FieldError>& errors) {
  constexpr auto kReasons = std::to_array<std::string_view>(
      {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany",
       "FieldValueTypeInvalid"});
  return std::ranges::any_of(errors, [&](const api::FieldError& error) {
    return std::ranges::find(kReasons, error.reason) != kReasons.end();
  });
}

void ValidateBySchema(const crd::CustomVersion& version, std::string_view subresource,
                      const api::Json* before, const api::Json& document,
                      admission::FieldErrors& errors) {
  const api::JsonObject& object = document.get_object();
  if (subresource == "status") {
    const crd::Schema* schema = version.schema.FindProperty("status");
    const api::Json* status = object.if_contains("status");
    const api::Json* old = before != nullptr ? before->get_object().if_contains("status") : nullptr;
    if (schema != nullptr && status != nullptr) {
      crd::ValidateValue(*schema, *status, old, "status", errors);
    }
  } else {
    crd::ValidateValue(version.schema, document, before, "", errors);
    if (version.scale) ValidateReplicas(object, version.scale->spec_replicas, errors);
  }
  if (version.scale) ValidateReplicas(object, version.scale->status_replicas, errors);
  crd::ValidateStructure(version.schema, object, errors);
}

}  // namespace

void ValidateCustom(const api::scheme::Kind& kind, std::string_view subresource,
                    const api::Json* before, const api::Json& document,
                    admission::FieldErrors& errors, std::vector<std::string>* warnings) {
  const crd::CustomVersion& version = *crd::VersionOf(kind);
  admission::FieldErrors by_schema;
  ValidateBySchema(version, subresource, before, document, by_schema);
  std::vector<api::FieldError> found;
  if (!errors.full()) found = errors.Take();  // Those of metadata count, too.
  for (api::FieldError& error : by_schema.Take()) found.push_back(std::move(error));
  const bool prevents_rules = PreventsRules(found);
  for (api::FieldError& error : found) errors.Add(std::move(error));
  if (!prevents_rules) {
    // Also those about the rest of the object, if only its status is written.
    crd::ValidateByRules(version.schema, document, before, errors, warnings);
  } else if (version.schema.has_rules) {
    errors.InvalidText("<nil>", "null",
                       "some validation rules were not checked because the object was invalid; "
                       "correct the existing errors to complete validation");
  }
}

void ToStorageVersion(const api::scheme::Kind& kind, api::JsonObject& document) {
  const crd::CustomVersion* version = crd::VersionOf(kind);
  if (version == nullptr || version->storage) return;
  const crd::Schema& schema = version->resource.storage().schema;
  (void)crd::ApplyDefaults(schema, document);
  crd::Prune(schema, document);
  crd::DropUnwantedNulls(schema, document);
}

}  // namespace berth::apiserver::registry
