// Rules for what a pod says about where it may run.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "admission/field_errors.h"
#include "admission/names.h"
#include "admission/validate.h"
#include "admission/validate_metadata.h"
#include "api/selector.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

void ValidateToleration(const JsonObject* toleration, const FieldPath& path, FieldErrors& errors) {
  const std::string_view key = StringAt(toleration, "key");
  const std::string_view op = StringAt(toleration, "operator");
  const std::string_view value = StringAt(toleration, "value");
  const std::string_view effect = StringAt(toleration, "effect");
  if (!key.empty()) {
    for (const std::string& what : api::QualifiedNameErrors(key)) {
      errors.Invalid(path / "key", key, what);
    }
  } else if (op != "Exists") {
    errors.Invalid(path / "operator", op,
                   "operator must be Exists when `key` is empty, which means \"match all values "
                   "and all keys\"");
  }
  if (At(toleration, "tolerationSeconds") && effect != "NoExecute") {
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

void ValidateSpreadPolicy(const JsonObject* constraint, std::string_view key, const FieldPath& path,
                          FieldErrors& errors) {
  const std::string_view policy = StringAt(constraint, key);
  if (!policy.empty() && policy != "Honor" && policy != "Ignore") {
    errors.NotSupported(path / key, policy, {"Honor", "Ignore"});
  }
}

void ValidateSpread(const JsonObject* constraint, const FieldPath& path,
                    std::vector<std::string>& seen, FieldErrors& errors) {
  const int64_t skew = IntAt(constraint, "maxSkew").value_or(0);
  if (skew <= 0) errors.Invalid(path / "maxSkew", skew, "must be greater than zero");
  const std::string_view key = StringAt(constraint, "topologyKey");
  if (key.empty()) errors.Required(path / "topologyKey", "can not be empty");
  const std::string_view otherwise = StringAt(constraint, "whenUnsatisfiable");
  if (otherwise != "DoNotSchedule" && otherwise != "ScheduleAnyway") {
    errors.NotSupported(path / "whenUnsatisfiable", otherwise, {"DoNotSchedule", "ScheduleAnyway"});
  }
  const std::string pair = fmt::format("{{{}, {}}}", key, otherwise);
  if (std::ranges::find(seen, pair) != seen.end()) {
    const FieldPath at = path / "{topologyKey, whenUnsatisfiable}";
    errors.Duplicate(at, pair);
  }
  seen.push_back(pair);
  if (const auto domains = IntAt(constraint, "minDomains")) {
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
  ValidateLabelSelector(ObjectAt(constraint, "labelSelector"), path / "labelSelector", errors);
}

void ValidateGates(const JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const JsonArray* gates = ArrayAt(spec, "schedulingGates");
  if (!gates || gates->empty()) return;
  const FieldPath list = path / "schedulingGates";
  std::vector<std::string_view> seen;
  for (size_t i = 0; i < gates->size(); ++i) {
    const FieldPath at = list[i];
    const std::string_view name = StringAt(AsObject((*gates)[i]), "name");
    for (const std::string& what : api::QualifiedNameErrors(name)) {
      errors.Invalid(at / "name", name, what);
    }
    if (std::ranges::find(seen, name) != seen.end()) errors.Duplicate(at / "name", name);
    seen.push_back(name);
  }
  if (!StringAt(spec, "nodeName").empty()) {
    errors.Forbidden(path / "nodeName",
                     "cannot be set until all schedulingGates have been cleared");
  }
}

}  // namespace

void ValidatePlacement(const JsonObject* pod_spec, const FieldPath& path, FieldErrors& errors) {
  ValidateLabels(At(pod_spec, "nodeSelector"), path / "nodeSelector", errors);
  ValidateAffinity(ObjectAt(pod_spec, "affinity"), path / "affinity", errors);
  const FieldPath tolerations_path = path / "tolerations";
  const JsonArray* tolerations = ArrayAt(pod_spec, "tolerations");
  for (size_t i = 0; tolerations && i < tolerations->size(); ++i) {
    ValidateToleration(AsObject((*tolerations)[i]), tolerations_path[i], errors);
  }
  const FieldPath spread_path = path / "topologySpreadConstraints";
  const JsonArray* spread = ArrayAt(pod_spec, "topologySpreadConstraints");
  std::vector<std::string> seen;
  for (size_t i = 0; spread && i < spread->size(); ++i) {
    ValidateSpread(AsObject((*spread)[i]), spread_path[i], seen, errors);
  }
  ValidateGates(pod_spec, path, errors);
  for (const std::string_view key : {"nodeName", "schedulerName", "priorityClassName"}) {
    const std::string_view name = StringAt(pod_spec, key);
    if (name.empty()) continue;
    if (const auto what = CheckDnsSubdomain(name)) errors.Invalid(path / key, name, *what);
  }
}

}  // namespace berth::apiserver
