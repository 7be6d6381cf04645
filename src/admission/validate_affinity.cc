// Rules for node selectors and for affinity.
#include <string_view>

#include "admission/field_errors.h"
#include "admission/names.h"
#include "admission/validate.h"
#include "admission/validate_metadata.h"
#include "api/selector.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void ValidateNodeRequirement(const JsonObject* requirement, const FieldPath& path,
                             FieldErrors& errors) {
  const std::string_view op = StringAt(requirement, "operator");
  const JsonArray* values = ArrayAt(requirement, "values");
  const size_t count = values ? values->size() : 0;
  if (op == "In" || op == "NotIn") {
    if (count == 0) {
      errors.Required(path / "values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (count > 0) {
      errors.Forbidden(path / "values",
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (count != 1) {
      errors.Required(path / "values",
                      "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.Invalid(path / "operator", op, "not a valid selector operator");
  }
  const std::string_view key = StringAt(requirement, "key");
  for (const std::string& what : api::QualifiedNameErrors(key)) {
    errors.Invalid(path / "key", key, what);
  }
}

void ValidateFieldRequirement(const JsonObject* requirement, const FieldPath& path,
                              FieldErrors& errors) {
  const std::string_view op = StringAt(requirement, "operator");
  const std::string_view key = StringAt(requirement, "key");
  const JsonArray* values = ArrayAt(requirement, "values");
  if (op != "In" && op != "NotIn") {
    errors.Invalid(path / "operator", op, "not a valid selector operator");
  } else if (!values || values->size() != 1) {
    errors.Required(path / "values",
                    "must be only one value when `operator` is 'In' or 'NotIn' "
                    "for node field selector");
  }
  if (key != "metadata.name") {
    errors.Invalid(path / "key", key, "not a valid field selector key");
  }
}

void ValidateNodeTerm(const JsonObject* term, const FieldPath& path, FieldErrors& errors) {
  const FieldPath expressions_path = path / "matchExpressions";
  const JsonArray* expressions = ArrayAt(term, "matchExpressions");
  for (size_t i = 0; expressions && i < expressions->size(); ++i) {
    ValidateNodeRequirement(AsObject((*expressions)[i]), expressions_path[i], errors);
  }
  const FieldPath fields_path = path / "matchFields";
  const JsonArray* fields = ArrayAt(term, "matchFields");
  for (size_t i = 0; fields && i < fields->size(); ++i) {
    ValidateFieldRequirement(AsObject((*fields)[i]), fields_path[i], errors);
  }
}

void ValidateWeight(const JsonObject* term, const FieldPath& path, FieldErrors& errors) {
  const int64_t weight = IntAt(term, "weight").value_or(0);
  if (weight < 1 || weight > 100) {
    errors.Invalid(path / "weight", weight, "must be in the range 1-100");
  }
}

void ValidatePodTerm(const JsonObject* term, const FieldPath& path, FieldErrors& errors) {
  ValidateLabelSelector(ObjectAt(term, "labelSelector"), path / "labelSelector", errors);
  ValidateLabelSelector(ObjectAt(term, "namespaceSelector"), path / "namespaceSelector", errors);
  const FieldPath namespaces_path = path / "namespaces";
  const JsonArray* namespaces = ArrayAt(term, "namespaces");
  for (size_t i = 0; namespaces && i < namespaces->size(); ++i) {
    const std::string_view name = AsString((*namespaces)[i]);
    if (const auto what = CheckDnsLabel(name)) errors.Invalid(namespaces_path, name, *what);
  }
  const std::string_view key = StringAt(term, "topologyKey");
  if (key.empty()) {
    errors.Required(path / "topologyKey", "can not be empty");
    return;
  }
  for (const std::string& what : api::QualifiedNameErrors(key)) {
    errors.Invalid(path / "topologyKey", key, what);
  }
}

void ValidatePodAffinity(const JsonObject* affinity, const FieldPath& path, FieldErrors& errors) {
  const FieldPath required = path / kRequired;
  const JsonArray* terms = ArrayAt(affinity, kRequired);
  for (size_t i = 0; terms && i < terms->size(); ++i) {
    ValidatePodTerm(AsObject((*terms)[i]), required[i], errors);
  }
  const FieldPath preferred = path / kPreferred;
  const JsonArray* weighted = ArrayAt(affinity, kPreferred);
  for (size_t i = 0; weighted && i < weighted->size(); ++i) {
    const JsonObject* term = AsObject((*weighted)[i]);
    const FieldPath at = preferred[i];
    ValidateWeight(term, at, errors);
    ValidatePodTerm(ObjectAt(term, "podAffinityTerm"), at / "podAffinityTerm", errors);
  }
}

void ValidateNodeAffinity(const JsonObject* affinity, const FieldPath& path, FieldErrors& errors) {
  if (const JsonObject* required = ObjectAt(affinity, kRequired)) {
    const FieldPath at = path / kRequired;
    const FieldPath terms_path = at / "nodeSelectorTerms";
    const JsonArray* terms = ArrayAt(required, "nodeSelectorTerms");
    if (!terms || terms->empty()) {
      errors.Required(terms_path, "must have at least one node selector term");
    }
    ValidateNodeSelectorTerms(terms, terms_path, errors);
  }
  const FieldPath preferred = path / kPreferred;
  const JsonArray* weighted = ArrayAt(affinity, kPreferred);
  for (size_t i = 0; weighted && i < weighted->size(); ++i) {
    const JsonObject* term = AsObject((*weighted)[i]);
    const FieldPath at = preferred[i];
    ValidateWeight(term, at, errors);
    ValidateNodeTerm(ObjectAt(term, "preference"), at / "preference", errors);
  }
}

}  // namespace

void ValidateNodeSelectorTerms(const JsonArray* terms, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; terms && i < terms->size(); ++i) {
    ValidateNodeTerm(AsObject((*terms)[i]), path[i], errors);
  }
}

void ValidateAffinity(const JsonObject* affinity, const FieldPath& path, FieldErrors& errors) {
  if (!affinity) return;
  ValidateNodeAffinity(ObjectAt(affinity, "nodeAffinity"), path / "nodeAffinity", errors);
  ValidatePodAffinity(ObjectAt(affinity, "podAffinity"), path / "podAffinity", errors);
  ValidatePodAffinity(ObjectAt(affinity, "podAntiAffinity"), path / "podAntiAffinity", errors);
}

}  // namespace berth::apiserver
