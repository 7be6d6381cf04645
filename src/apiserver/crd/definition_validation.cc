// ValidateDefinition of definition.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/crd/definition.h"
#include "apiserver/crd/rule_compiler.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_rules.h"

namespace berth::apiserver::crd {
namespace {

using admission::FieldErrors;
using admission::FieldPath;

// kube-apiserver's limit.
constexpr size_t kMaxSelectableFields = 8;

constexpr std::string_view kApproval = "api-approved.kubernetes.io";

constexpr std::array kColumnTypes =
    std::to_array<std::string_view>({"boolean", "date", "integer", "number", "string"});
constexpr std::array kColumnFormats = std::to_array<std::string_view>(
    {"byte", "date", "date-time", "double", "float", "int32", "int64", "password"});

void CheckGroup(std::string_view group, const FieldPath& path, FieldErrors& errors) {
  if (group.empty()) return errors.Required(path);
  if (const auto what = admission::CheckDnsSubdomain(group)) {
    errors.Invalid(path, group, *what);
  } else if (group.find('.') == group.npos) {
    errors.Invalid(path, group, "should be a domain with at least one dot");
  }
}

void CheckNames(const api::JsonObject* names, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view key : {"plural", "singular"}) {
    const std::string_view name = api::StringAt(names, key);
    if (name.empty()) {
      errors.Required(path / key);
    } else if (const auto what = admission::CheckDns1035Label(name)) {
      errors.Invalid(path / key, name, *what);
    }
  }
  for (const std::string_view key : {"kind", "listKind"}) {
    const std::string_view name = api::StringAt(names, key);
    if (name.empty()) {
      errors.Required(path / key);
    } else if (const auto what = admission::CheckDns1035Label(ToLower(name))) {
      errors.Invalid(path / key, name, "may have mixed case, but should otherwise match: " + *what);
    }
  }
  const std::string_view kind = api::StringAt(names, "kind");
  if (!kind.empty() && kind == api::StringAt(names, "listKind")) {
    errors.Invalid(path / "listKind", kind, "kind and listKind may not be the same");
  }
  for (const std::string_view key : {"shortNames", "categories"}) {
    const api::JsonArray* list = api::ArrayAt(names, key);
    const FieldPath at = path / key;
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::string_view name = api::AsString((*list)[i]);
      if (const auto what = admission::CheckDns1035Label(name)) {
        errors.Invalid(at[i], name, *what);
      }
    }
  }
}

void CheckSimplePath(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  if (text.empty()) return errors.Required(path);
  if (text[0] != '.') errors.Invalid(path, text, "must be a simple json path starting with .");
}

void CheckColumns(const api::JsonArray* columns, const FieldPath& path, FieldErrors& errors) {
  if (columns == nullptr) return;
  if (columns->size() > kMaxPrinterColumns) {
    return errors.Add({"FieldValueTooMany",
                       fmt::format("Too many: {}: must have at most {} items", columns->size(),
                                   kMaxPrinterColumns),
                       path});
  }
  for (size_t i = 0; i < columns->size(); ++i) {
    const api::JsonObject* column = api::AsObject((*columns)[i]);
    const FieldPath at = path[i];
    if (api::StringAt(column, "name").empty()) errors.Required(at / "name");
    const std::string_view type = api::StringAt(column, "type");
    const std::string types = fmt::format("must be one of {}", fmt::join(kColumnTypes, ","));
    if (type.empty()) {
      errors.Required(at / "type", types);
    } else if (std::ranges::find(kColumnTypes, type) == kColumnTypes.end()) {
      errors.Invalid(at / "type", type, types);
    }
    const std::string_view format = api::StringAt(column, "format");
    if (!format.empty() && std::ranges::find(kColumnFormats, format) == kColumnFormats.end()) {
      errors.Invalid(at / "format", format,
                     fmt::format("must be one of {}", fmt::join(kColumnFormats, ",")));
    }
    CheckSimplePath(api::StringAt(column, "jsonPath"), at / "jsonPath", errors);
  }
}

void CheckSubresources(const api::JsonObject* subresources, const FieldPath& path,
                       FieldErrors& errors) {
  const api::JsonObject* scale = api::ObjectAt(subresources, "scale");
  if (scale == nullptr) return;
  const FieldPath at = path / "scale";
  for (const auto& [key, root] :
       {std::pair<std::string_view, std::string_view>{"specReplicasPath", ".spec."},
        {"statusReplicasPath", ".status."}}) {
    const std::string_view text = api::StringAt(scale, key);
    if (text.starts_with('.') && !text.starts_with(root)) {
      errors.Invalid(
          at / key, text,
          fmt::format("should be a json path under {}", root.substr(0, root.size() - 1)));
    } else {
      CheckSimplePath(text, at / key, errors);
    }
  }
  const std::string_view selector = api::StringAt(scale, "labelSelectorPath");
  if (!selector.empty() && !selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.Invalid(at / "labelSelectorPath", selector,
                   "should be a json path under either .spec or .status");
  }
}

void CheckSelectableFields(const api::JsonArray* fields, const Schema* schema,
                           const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; fields != nullptr && i < fields->size(); ++i) {
    const FieldPath element = path[i];
    const FieldPath at = element / "jsonPath";
    const std::string_view text = api::StringAt(api::AsObject((*fields)[i]), "jsonPath");
    if (text.empty()) {
      errors.Required(at);
      continue;
    }
    const Schema* found = text.starts_with('.') ? schema : nullptr;
    for (const std::string& name : SplitPath(text)) {
      found = found != nullptr ? found->FindProperty(name) : nullptr;
    }
    if (found == nullptr) {
      errors.Invalid(at, text, "is an invalid path: it does not refer to a valid field");
      continue;
    }
    if (text == ".metadata" || text.starts_with(".metadata.")) {
      errors.Invalid(at, text, "must not point to fields in metadata");
    }
    if (found->type != SchemaType::kString && found->type != SchemaType::kBoolean &&
        found->type != SchemaType::kInteger) {
      errors.Invalid(at, text,
                     "must point to a field of type string, boolean or integer. Enum string fields "
                     "and strings with formats are allowed.");
    }
    if (!seen.insert(text).second) errors.Duplicate(at, text);
  }
  if (seen.size() > kMaxSelectableFields) {
    errors.Add(
        {"FieldValueTooMany",
         fmt::format("Too many: {}: must have at most {} items", seen.size(), kMaxSelectableFields),
         path});
  }
}

// Returns the schema of the version with that name, or null.
const api::JsonObject* SchemaOfVersion(const api::JsonObject* spec, std::string_view name) {
  const api::JsonArray* versions = api::ArrayAt(spec, "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const api::JsonObject* version = api::AsObject((*versions)[i]);
    if (api::StringAt(version, "name") != name) continue;
    return api::ObjectAt(api::ObjectAt(version, "schema"), "openAPIV3Schema");
  }
  return nullptr;
}

// `old_schema` is that of the version before an update, or null.
void CheckVersion(const api::JsonObject& version, const api::JsonObject* old_schema,
                  const FieldPath& path, SchemaBudget& budget, FieldErrors& errors) {
  const std::string_view name = api::StringAt(&version, "name");
  if (const auto what = admission::CheckDns1035Label(name)) {
    errors.Invalid(path / "name", name, *what);
  }
  const std::string_view warning = api::StringAt(&version, "deprecationWarning");
  if (!warning.empty() && !api::BoolAt(&version, "deprecated")) {
    errors.Invalid(path / "deprecationWarning", warning, "can only be set for deprecated versions");
  } else if (warning.size() > 256) {
    errors.Invalid(path / "deprecationWarning", warning, "must be <= 256 characters long");
  }
  const api::JsonObject* subresources = api::ObjectAt(&version, "subresources");
  CheckSubresources(subresources, path / "subresources", errors);
  CheckColumns(api::ArrayAt(&version, "additionalPrinterColumns"),
               path / "additionalPrinterColumns", errors);

  const FieldPath validation = path / "schema";
  const FieldPath at = validation / "openAPIV3Schema";
  const api::JsonObject* schema =
      api::ObjectAt(api::ObjectAt(&version, "schema"), "openAPIV3Schema");
  if (schema == nullptr) return errors.Required(at);
  // First, since it limits the depth of what the rules visit.
  auto compiled = CompileSchema(*schema, budget);
  if (!compiled) {
    const SchemaError& error = compiled.error();
    const std::string field = at.ToString() + (error.path.empty() ? "" : ".") + error.path;
    if (error.shown.empty()) return errors.Forbidden(field, error.message);
    return errors.InvalidText(field, error.shown, error.message);
  }
  FieldErrors found;
  CheckSchemaRules(*schema, at, api::At(subresources, "status") != nullptr, found);
  // Rules are about the types of a valid schema.
  if (found.empty()) {
    const RuleCheck check{.path = at,
                          .limits_each_cost = old_schema == nullptr || *old_schema != *schema,
                          .errors = found};
    CompileRules(*compiled, budget, &check);
  }
  if (found.empty()) CheckDefaults(*compiled, at, found);
  for (api::FieldError& error : found.Take()) errors.Add(std::move(error));
  CheckSelectableFields(api::ArrayAt(&version, "selectableFields"), &*compiled,
                        path / "selectableFields", errors);
}

void CheckVersions(const api::JsonObject* spec, const api::JsonObject* old_spec,
                   const FieldPath& path, FieldErrors& errors) {
  const api::JsonArray* versions = api::ArrayAt(spec, "versions");
  const api::JsonArray none;
  SchemaBudget budget;
  std::set<std::string_view> names;
  size_t storage = 0;
  bool unique = true;
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    if (errors.full()) return;
    const api::JsonObject* version = api::AsObject((*versions)[i]);
    if (version == nullptr) continue;
    if (api::BoolAt(version, "storage")) ++storage;
    unique &= names.insert(api::StringAt(version, "name")).second;
    CheckVersion(*version, SchemaOfVersion(old_spec, api::StringAt(version, "name")), path[i],
                 budget, errors);
  }
  if (unique && storage == 1) return;
  const std::string shown =
      api::Limited(api::ToJsonText(api::Json(versions != nullptr ? *versions : none)));
  if (!unique) errors.InvalidText(path, shown, "must contain unique version names");
  if (storage != 1) {
    errors.InvalidText(path, shown, "must have exactly one version marked as storage version");
  }
}

void CheckConversion(const api::JsonObject* conversion, const FieldPath& path,
                     FieldErrors& errors) {
  const std::string_view strategy = api::StringAt(conversion, "strategy");
  if (strategy.empty()) {
    errors.Required(path / "strategy");
  } else if (strategy != "None" && strategy != "Webhook") {
    errors.NotSupported(path / "strategy", strategy, {"None", "Webhook"});
  } else if (strategy == "None" && api::At(conversion, "webhook") != nullptr) {
    errors.Forbidden(path / "webhook", "should not be set when strategy is not set to Webhook");
  } else if (strategy == "Webhook" &&
             api::At(api::ObjectAt(conversion, "webhook"), "clientConfig") == nullptr) {
    errors.Required(path / "webhook.clientConfig", "required when strategy is set to Webhook");
  }
}

bool IsUrl(std::string_view text) {
  const size_t colon = text.find("://");
  return colon != text.npos && colon > 0 && text.size() > colon + 3;
}

// Groups of the Kubernetes community need an annotation.
void CheckApproval(const api::JsonObject& definition, const api::JsonObject* before,
                   std::string_view group, FieldErrors& errors) {
  const auto in = [&](std::string_view domain) {
    return group == domain || group.ends_with("." + std::string(domain));
  };
  if (!in("k8s.io") && !in("kubernetes.io")) return;
  const auto approval_of = [](const api::JsonObject& one) {
    return api::StringAt(api::ObjectAt(api::ObjectAt(&one, "metadata"), "annotations"), kApproval);
  };
  const std::string_view approval = approval_of(definition);
  if (before != nullptr && approval_of(*before) == approval) return;
  const FieldPath metadata("metadata");
  const FieldPath annotations = metadata / "annotations";
  constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval.empty()) {
    errors.Required(
        annotations.Key(kApproval),
        fmt::format("protected groups must have approval annotation \"{}\", {}", kApproval, kSee));
  } else if (!approval.starts_with("unapproved") && !IsUrl(approval)) {
    errors.Invalid(
        annotations.Key(kApproval), approval,
        fmt::format("protected groups must have approval annotation \"{}\" with either a "
                    "URL or a reason starting with \"unapproved\", {}",
                    kApproval, kSee));
  }
}

void CheckStoredVersions(const api::JsonObject& definition, FieldErrors& errors) {
  const api::JsonArray* stored =
      api::ArrayAt(api::ObjectAt(&definition, "status"), "storedVersions");
  const api::JsonArray* versions = api::ArrayAt(api::ObjectAt(&definition, "spec"), "versions");
  std::set<std::string_view> names;
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    names.insert(api::StringAt(api::AsObject((*versions)[i]), "name"));
  }
  const FieldPath status("status");
  const FieldPath path = status / "storedVersions";
  for (size_t i = 0; stored != nullptr && i < stored->size(); ++i) {
    const std::string_view name = api::AsString((*stored)[i]);
    if (names.contains(name)) continue;
    errors.Invalid(path[i], name,
                   fmt::format("missing from spec.versions; {0} was previously a storage version, "
                               "and must remain in spec.versions until a storage migration ensures "
                               "no data remains persisted in {0} and removes {0} from "
                               "status.storedVersions",
                               name));
  }
}

void CheckImmutable(const api::JsonObject* before, const api::JsonObject* after, bool established,
                    const FieldPath& path, FieldErrors& errors) {
  const FieldPath names = path / "names";
  const api::JsonObject* old_names = api::ObjectAt(before, "names");
  const api::JsonObject* new_names = api::ObjectAt(after, "names");
  if (established) {
    admission::Immutable(before, after, "scope", path, errors);
    admission::Immutable(old_names, new_names, "kind", names, errors);
  }
  admission::Immutable(before, after, "group", path, errors);
  admission::Immutable(old_names, new_names, "plural", names, errors);
}

}  // namespace

void ValidateDefinition(const api::JsonObject& definition, const api::JsonObject* before,
                        FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&definition, "spec");
  const api::JsonObject* names = api::ObjectAt(spec, "names");
  const std::string_view group = api::StringAt(spec, "group");
  const std::string_view name = api::StringAt(api::ObjectAt(&definition, "metadata"), "name");
  const FieldPath path("spec");
  if (name != fmt::format("{}.{}", api::StringAt(names, "plural"), group)) {
    const FieldPath metadata("metadata");
    errors.Invalid(metadata / "name", name, "must be spec.names.plural+\".\"+spec.group");
  }
  CheckGroup(group, path / "group", errors);
  const std::string_view scope = api::StringAt(spec, "scope");
  if (scope.empty()) {
    errors.Required(path / "scope");
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors.NotSupported(path / "scope", scope, {"Cluster", "Namespaced"});
  }
  if (api::BoolAt(spec, "preserveUnknownFields")) {
    errors.InvalidText(path / "preserveUnknownFields", "true",
                       "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                       "spec.versions[*].schema instead");
  }
  CheckVersions(spec, before != nullptr ? api::ObjectAt(before, "spec") : nullptr,
                path / "versions", errors);
  CheckNames(names, path / "names", errors);
  CheckConversion(api::ObjectAt(spec, "conversion"), path / "conversion", errors);
  CheckStoredVersions(definition, errors);
  CheckApproval(definition, before, group, errors);
  if (before != nullptr) {
    CheckImmutable(api::ObjectAt(before, "spec"), spec, HasCondition(*before, "Established"), path,
                   errors);
  }
}

}  // namespace berth::apiserver::crd
