// Validation of the kinds whose schema says most of what is required: autoscalers, networking,
// RBAC, webhooks, flow control, certificates and others.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/validation.h"
#include "cel/ast.h"
#include "cel/issues.h"
#include "cel/parser.h"

namespace berth::apiserver::admission {
namespace {

void AtLeastOne(const api::JsonObject* object, std::string_view key, const FieldPath& path,
                FieldErrors& errors) {
  const int64_t value = api::IntAt(object, key).value_or(0);
  if (value < 1) errors.Invalid(path / key, value, "must be greater than 0");
}

void ValidateAutoscaler(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const int64_t most = api::IntAt(spec, "maxReplicas").value_or(0);
  AtLeastOne(spec, "minReplicas", path, errors);
  AtLeastOne(spec, "maxReplicas", path, errors);
  if (most < api::IntAt(spec, "minReplicas").value_or(1)) {
    errors.Invalid(path / "maxReplicas", most, "must be greater than or equal to `minReplicas`");
  }
}

void ValidateIngress(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  if (api::EmptyAt(spec, "rules") && !api::At(spec, "defaultBackend")) {
    errors.InvalidText(path, "null", "either `defaultBackend` or `rules` must be specified");
  }
  const api::JsonArray* rules = api::ArrayAt(spec, "rules");
  const FieldPath rules_path = path / "rules";
  for (size_t i = 0; rules && i < rules->size(); ++i) {
    const api::JsonObject* http = api::ObjectAt(api::AsObject((*rules)[i]), "http");
    const api::JsonArray* paths = api::ArrayAt(http, "paths");
    const FieldPath rule = rules_path[i];
    const FieldPath http_path = rule / "http";
    const FieldPath list = http_path / "paths";
    if (http && api::EmptyAt(http, "paths")) errors.Required(list);
    for (size_t k = 0; paths && k < paths->size(); ++k) {
      const api::JsonObject* one = api::AsObject((*paths)[k]);
      const std::string_view type = api::StringAt(one, "pathType");
      const std::string_view text = api::StringAt(one, "path");
      const FieldPath at = list[k];
      if ((type == "Exact" || type == "Prefix") && !text.starts_with('/')) {
        errors.Invalid(at / "path", text, "must be an absolute path");
      }
    }
  }
}

// The expressions of match conditions are not evaluated, so only their syntax is checked.
void ValidateMatchConditions(const api::JsonArray* conditions, const FieldPath& path,
                             FieldErrors& errors) {
  for (size_t i = 0; conditions && i < conditions->size(); ++i) {
    const std::string_view text = api::StringAt(api::AsObject((*conditions)[i]), "expression");
    const FieldPath item = path[i];
    const FieldPath at = item / "expression";
    if (text.empty()) {
      errors.Required(at);
      continue;
    }
    cel::Ast ast(text);
    cel::Issues issues(text);
    cel::Parse(ast, false, issues);
    if (!issues.empty()) errors.Invalid(at, text, "compilation failed: " + issues.ToString());
  }
}

// A webhook is called by URL or by service.
void ValidateWebhooks(const api::JsonArray* webhooks, FieldErrors& errors) {
  const FieldPath path("webhooks");
  for (size_t i = 0; webhooks && i < webhooks->size(); ++i) {
    const api::JsonObject* webhook = api::AsObject((*webhooks)[i]);
    const api::JsonObject* client = api::ObjectAt(webhook, "clientConfig");
    const FieldPath at = path[i];
    if (client && (api::At(client, "url") != nullptr) == (api::At(client, "service") != nullptr)) {
      errors.Required(at / "clientConfig", "exactly one of url or service is required");
    }
    const auto timeout = api::IntAt(webhook, "timeoutSeconds");
    if (timeout && (*timeout < 1 || *timeout > 30)) {
      errors.Invalid(at / "timeoutSeconds", *timeout,
                     *timeout < 1 ? "the timeout value must be greater than 0"
                                  : "the timeout value must be less than or equal to 30");
    }
    ValidateMatchConditions(api::ArrayAt(webhook, "matchConditions"), at / "matchConditions",
                            errors);
  }
}

void ValidateApiService(const api::JsonObject& document, FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const FieldPath metadata("metadata");
  const std::string_view name = api::StringAt(MetadataOf(document), "name");
  const std::string required =
      fmt::format("{}.{}", api::StringAt(spec, "version"), api::StringAt(spec, "group"));
  if (name != required) {
    errors.Invalid(metadata / "name", name,
                   fmt::format("must be `spec.version+\".\"+spec.group`: \"{}\"", required));
  }
  const FieldPath path("spec");
  AtLeastOne(spec, "groupPriorityMinimum", path, errors);
  AtLeastOne(spec, "versionPriority", path, errors);
}

void ValidatePriorityLevel(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const std::string_view type = api::StringAt(spec, "type");
  if (type == "Limited" && !api::At(spec, "limited")) {
    errors.Required(path / "limited", "must not be empty when type is Limited");
  }
  if (type == "Exempt" && api::At(spec, "limited")) {
    errors.Forbidden(path / "limited", "must be nil if the type is not Limited");
  }
}

struct ImmutableField {
  std::string_view kind;
  std::string_view parent;  // Empty: the object itself.
  std::string_view field;
};
constexpr auto kImmutableFields = std::to_array<ImmutableField>({
    {"RuntimeClass", "", "handler"},
    {"EndpointSlice", "", "addressType"},
    {"IngressClass", "spec", "controller"},
    {"IPAddress", "spec", "parentRef"},
});

}  // namespace

void ValidateGroups(const api::scheme::Kind& kind, const api::JsonObject& document,
                    FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const std::string_view name = kind.kind;
  ValidateSchema(kind, document, errors);
  if (name == "HorizontalPodAutoscaler") return ValidateAutoscaler(spec, errors);
  if (name == "Ingress") return ValidateIngress(spec, errors);
  if (name == "MutatingWebhookConfiguration" || name == "ValidatingWebhookConfiguration") {
    return ValidateWebhooks(api::ArrayAt(&document, "webhooks"), errors);
  }
  if (name == "APIService") return ValidateApiService(document, errors);
  if (name == "PriorityLevelConfiguration") return ValidatePriorityLevel(spec, errors);
  if (name == "CertificateSigningRequest" && api::EmptyAt(spec, "usages")) {
    const FieldPath path("spec");
    errors.Required(path / "usages");
  }
}

void ValidateGroupsUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                          const api::JsonObject& after, FieldErrors& errors) {
  const std::string_view name = kind.kind;
  if ((name == "RoleBinding" || name == "ClusterRoleBinding") &&
      !api::SameAt(&before, &after, "roleRef")) {
    const api::Json* value = api::At(&after, "roleRef");
    errors.InvalidValue(FieldPath("roleRef"), value ? *value : api::Json(),
                        "cannot change roleRef");
  }
  for (const ImmutableField& field : kImmutableFields) {
    if (field.kind != name) continue;
    if (field.parent.empty()) {
      if (api::SameAt(&before, &after, field.field)) continue;
      const api::Json* value = api::At(&after, field.field);
      errors.InvalidValue(FieldPath(field.field), value ? *value : api::Json(),
                          "field is immutable");
    } else {
      Immutable(api::ObjectAt(&before, field.parent), api::ObjectAt(&after, field.parent),
                field.field, FieldPath(field.parent), errors);
    }
  }
}

}  // namespace berth::apiserver::admission
