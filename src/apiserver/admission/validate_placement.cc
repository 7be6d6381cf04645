// Validation of scheduling constraints: node selectors, affinity, tolerations, topology spread
// constraints and scheduling gates.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/selector.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void ValidateNodeRequirement(const api::JsonObject* requirement, const FieldPath& path,
                             FieldErrors& errors) {
  const std::string_view op = api::StringAt(requirement, "operator");
  const api::JsonArray* values = api::ArrayAt(requirement, "values");
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
  const std::string_view key = api::StringAt(requirement, "key");
  for (const std::string& what : api::QualifiedNameErrors(key)) {
    errors.Invalid(path / "key", key, what);
  }
}

void ValidateFieldRequirement(const api::JsonObject* requirement, const FieldPath& path,
                              FieldErrors& errors) {
  const std::string_view op = api::StringAt(requirement, "operator");
  const std::string_view key = api::StringAt(requirement, "key");
  const api::JsonArray* values = api::ArrayAt(requirement, "values");
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

void ValidateNodeTerm(const api::JsonObject* term, const FieldPath& path, FieldErrors& errors) {
  const FieldPath expressions_path = path / "matchExpressions";
  const api::JsonArray* expressions = api::ArrayAt(term, "matchExpressions");
  for (size_t i = 0; expressions && i < expressions->size(); ++i) {
    ValidateNodeRequirement(api::AsObject((*expressions)[i]), expressions_path[i], errors);
  }
  const FieldPath fields_path = path / "matchFields";
  const api::JsonArray* fields = api::ArrayAt(term, "matchFields");
  for (size_t i = 0; fields && i < fields->size(); ++i) {
    ValidateFieldRequirement(api::AsObject((*fields)[i]), fields_path[i], errors);
  }
}

void ValidateWeight(const api::JsonObject* term, const FieldPath& path, FieldErrors& errors) {
  const int64_t weight = api::IntAt(term, "weight").value_or(0);
  if (weight < 1 || weight > 100) {
    errors.Invalid(path / "weight", weight, "must be in the range 1-100");
  }
}

void ValidatePodTerm(const api::JsonObject* term, const FieldPath& path, FieldErrors& errors) {
  ValidateLabelSelector(api::ObjectAt(term, "labelSelector"), path / "labelSelector", errors);
  ValidateLabelSelector(api::ObjectAt(term, "namespaceSelector"), path / "namespaceSelector",
                        errors);
  const FieldPath namespaces_path = path / "namespaces";
  const api::JsonArray* namespaces = api::ArrayAt(term, "namespaces");
  for (size_t i = 0; namespaces && i < namespaces->size(); ++i) {
    const std::string_view name = api::AsString((*namespaces)[i]);
    if (const auto what = CheckDnsLabel(name)) errors.Invalid(namespaces_path, name, *what);
  }
  const std::string_view key = api::StringAt(term, "topologyKey");
  if (key.empty()) {
    errors.Required(path / "topologyKey", "can not be empty");
    return;
  }
  for (const std::string& what : api::QualifiedNameErrors(key)) {
    errors.Invalid(path / "topologyKey", key, what);
  }
}

void ValidatePodAffinity(const api::JsonObject* affinity, const FieldPath& path,
                         FieldErrors& errors) {
  const FieldPath required = path / kRequiredDuringScheduling;
  const api::JsonArray* terms = api::ArrayAt(affinity, kRequiredDuringScheduling);
  for (size_t i = 0; terms && i < terms->size(); ++i) {
    ValidatePodTerm(api::AsObject((*terms)[i]), required[i], errors);
  }
  const FieldPath preferred = path / kPreferred;
  const api::JsonArray* weighted = api::ArrayAt(affinity, kPreferred);
  for (size_t i = 0; weighted && i < weighted->size(); ++i) {
    const api::JsonObject* term = api::AsObject((*weighted)[i]);
    const FieldPath at = preferred[i];
    ValidateWeight(term, at, errors);
    ValidatePodTerm(api::ObjectAt(term, "podAffinityTerm"), at / "podAffinityTerm", errors);
  }
}

void ValidateNodeAffinity(const api::JsonObject* affinity, const FieldPath& path,
                          FieldErrors& errors) {
  if (const api::JsonObject* required = api::ObjectAt(affinity, kRequiredDuringScheduling)) {
    const FieldPath at = path / kRequiredDuringScheduling;
    const FieldPath terms_path = at / "nodeSelectorTerms";
    const api::JsonArray* terms = api::ArrayAt(required, "nodeSelectorTerms");
    if (!terms || terms->empty()) {
      errors.Required(terms_path, "must have at least one node selector term");
    }
    ValidateNodeSelectorTerms(terms, terms_path, errors);
  }
  const FieldPath preferred = path / kPreferred;
  const api::JsonArray* weighted = api::ArrayAt(affinity, kPreferred);
  for (size_t i = 0; weighted && i < weighted->size(); ++i) {
    const api::JsonObject* term = api::AsObject((*weighted)[i]);
    const FieldPath at = preferred[i];
    ValidateWeight(term, at, errors);
    ValidateNodeTerm(api::ObjectAt(term, "preference"), at / "preference", errors);
  }
}

}  // namespace

void ValidateNodeSelectorTerms(const api::JsonArray* terms, const FieldPath& path,
                               FieldErrors& errors) {
  for (size_t i = 0; terms && i < terms->size(); ++i) {
    ValidateNodeTerm(api::AsObject((*terms)[i]), path[i], errors);
  }
}

void ValidateAffinity(const api::JsonObject* affinity, const FieldPath& path, FieldErrors& errors) {
  if (!affinity) return;
  ValidateNodeAffinity(api::ObjectAt(affinity, "nodeAffinity"), path / "nodeAffinity", errors);
  ValidatePodAffinity(api::ObjectAt(affinity, "podAffinity"), path / "podAffinity", errors);
  ValidatePodAffinity(api::ObjectAt(affinity, "podAntiAffinity"), path / "podAntiAffinity", errors);
}

namespace {

void ValidateToleration(const api::JsonObject* toleration, const FieldPath& path,
                        FieldErrors& errors) {
  const std::string_view key = api::StringAt(toleration, "key");
  const std::string_view op = api::StringAt(toleration, "operator");
  const std::string_view value = api::StringAt(toleration, "value");
  const std::string_view effect = api::StringAt(toleration, "effect");
  if (!key.empty()) {
    for (const std::string& what : api::QualifiedNameErrors(key)) {
      errors.Invalid(path / "key", key, what);
    }
  } else if (op != "Exists") {
    errors.Invalid(path / "operator", op,
                   "operator must be Exists when `key` is empty, which means \"match all values "
                   "and all keys\"");
  }
  if (api::At(toleration, "tolerationSeconds") && effect != "NoExecute") {
    errors.Invalid(path / "effect", effect,
                   "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op == "Exists") {
    if (!value.empty()) {
      errors.Invalid(path / "operator", value, "value must be empty when `operator` is 'Exists'");
    }
  } else if (op.empty() || op == "Equal") {
    if (const auto what = api::ValidateLabelValue(value)) {
      errors.Invalid(path / "operator", value, *what);
    }
  } else {
    errors.NotSupported(path / "operator", op, {"Equal", "Exists"});
  }
  if (!effect.empty() && effect != "NoSchedule" && effect != "PreferNoSchedule" &&
      effect != "NoExecute") {
    errors.NotSupported(path / "effect", effect, {"NoExecute", "NoSchedule", "PreferNoSchedule"});
  }
}

void ValidateSpreadPolicy(const api::JsonObject* constraint, std::string_view key,
                          const FieldPath& path, FieldErrors& errors) {
  const std::string_view policy = api::StringAt(constraint, key);
  if (!policy.empty() && policy != "Honor" && policy != "Ignore") {
    errors.NotSupported(path / key, policy, {"Honor", "Ignore"});
  }
}

void ValidateSpread(const api::JsonObject* constraint, const FieldPath& path,
                    std::set<std::string>& seen, FieldErrors& errors) {
  const int64_t skew = api::IntAt(constraint, "maxSkew").value_or(0);
  if (skew <= 0) errors.Invalid(path / "maxSkew", skew, "must be greater than zero");
  const std::string_view key = api::StringAt(constraint, "topologyKey");
  if (key.empty()) errors.Required(path / "topologyKey", "can not be empty");
  const std::string_view otherwise = api::StringAt(constraint, "whenUnsatisfiable");
  if (otherwise != "DoNotSchedule" && otherwise != "ScheduleAnyway") {
    errors.NotSupported(path / "whenUnsatisfiable", otherwise, {"DoNotSchedule", "ScheduleAnyway"});
  }
  const std::string pair = fmt::format("{{{}, {}}}", key, otherwise);
  if (!seen.insert(pair).second) {
    const FieldPath at = path / "{topologyKey, whenUnsatisfiable}";
    errors.Duplicate(at, pair);
  }
  if (const auto domains = api::IntAt(constraint, "minDomains")) {
    if (*domains <= 0) errors.Invalid(path / "minDomains", *domains, "must be greater than 0");
    if (otherwise != "DoNotSchedule") {
      errors.Invalid(path / "minDomains", *domains,
                     fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, "
                                 "not {}",
                                 otherwise));
    }
  }
  ValidateSpreadPolicy(constraint, "nodeAffinityPolicy", path, errors);
  ValidateSpreadPolicy(constraint, "nodeTaintsPolicy", path, errors);
  ValidateLabelSelector(api::ObjectAt(constraint, "labelSelector"), path / "labelSelector", errors);
}

void ValidateGates(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const api::JsonArray* gates = api::ArrayAt(spec, "schedulingGates");
  if (!gates || gates->empty()) return;
  const FieldPath list = path / "schedulingGates";
  std::set<std::string_view> seen;
  for (size_t i = 0; i < gates->size(); ++i) {
    const FieldPath at = list[i];
    const std::string_view name = api::StringAt(api::AsObject((*gates)[i]), "name");
    for (const std::string& what : api::QualifiedNameErrors(name)) {
      errors.Invalid(at / "name", name, what);
    }
    if (!seen.insert(name).second) errors.Duplicate(at / "name", name);
  }
  if (!api::StringAt(spec, "nodeName").empty()) {
    errors.Forbidden(path / "nodeName",
                     "cannot be set until all schedulingGates have been cleared");
  }
}

}  // namespace

void ValidatePlacement(const api::JsonObject* pod_spec, const FieldPath& path,
                       FieldErrors& errors) {
  ValidateLabels(api::At(pod_spec, "nodeSelector"), path / "nodeSelector", errors);
  ValidateAffinity(api::ObjectAt(pod_spec, "affinity"), path / "affinity", errors);
  const FieldPath tolerations_path = path / "tolerations";
  const api::JsonArray* tolerations = api::ArrayAt(pod_spec, "tolerations");
  for (size_t i = 0; tolerations && i < tolerations->size(); ++i) {
    ValidateToleration(api::AsObject((*tolerations)[i]), tolerations_path[i], errors);
  }
  const FieldPath spread_path = path / "topologySpreadConstraints";
  const api::JsonArray* spread = api::ArrayAt(pod_spec, "topologySpreadConstraints");
  std::set<std::string> seen;
  for (size_t i = 0; spread && i < spread->size(); ++i) {
    ValidateSpread(api::AsObject((*spread)[i]), spread_path[i], seen, errors);
  }
  ValidateGates(pod_spec, path, errors);
  for (const std::string_view key : {"nodeName", "schedulerName", "priorityClassName"}) {
    const std::string_view name = api::StringAt(pod_spec, key);
    if (name.empty()) continue;
    if (const auto what = CheckDnsSubdomain(name)) errors.Invalid(path / key, name, *what);
  }
}

}  // namespace berth::apiserver::admission
