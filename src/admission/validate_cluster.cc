// Rules for nodes, services, budgets, priority classes, leases and events.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "admission/field_errors.h"
#include "admission/metadata.h"
#include "admission/names.h"
#include "admission/priority_rules.h"
#include "admission/validate.h"
#include "admission/validate_metadata.h"
#include "api/selector.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

void ValidateNode(const JsonObject* spec, FieldErrors& errors) {
  const JsonArray* taints = ArrayAt(spec, "taints");
  const FieldPath spec_path("spec");
  const FieldPath path = spec_path / "taints";
  std::vector<std::string> seen;
  for (size_t i = 0; taints && i < taints->size(); ++i) {
    const JsonObject* taint = AsObject((*taints)[i]);
    const FieldPath at = path[i];
    const std::string_view key = StringAt(taint, "key");
    const std::string_view effect = StringAt(taint, "effect");
    for (const std::string& what : api::QualifiedNameErrors(key)) {
      errors.Invalid(at / "key", key, what);
    }
    if (const auto what = api::ValidateLabelValue(StringAt(taint, "value"))) {
      errors.Invalid(at / "value", StringAt(taint, "value"), *what);
    }
    if (effect.empty()) {
      errors.Required(at / "effect");
    } else if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      errors.NotSupported(at / "effect", effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    const std::string pair = fmt::format("{}:{}", key, effect);
    if (std::ranges::find(seen, pair) != seen.end()) errors.Duplicate(at, pair);
    seen.push_back(pair);
  }
}

void ValidateServicePorts(const JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const JsonArray* ports = ArrayAt(spec, "ports");
  std::vector<std::string> names;
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    const JsonObject* port = AsObject((*ports)[i]);
    const FieldPath at = path[i];
    const std::string_view name = StringAt(port, "name");
    if (name.empty() && ports->size() > 1) {
      errors.Required(at / "name");
    } else if (!name.empty()) {
      if (const auto what = CheckDnsLabel(name)) errors.Invalid(at / "name", name, *what);
      if (std::ranges::find(names, name) != names.end()) errors.Duplicate(at / "name", name);
      names.emplace_back(name);
    }
    const int64_t number = IntAt(port, "port").value_or(0);
    if (number < 1 || number > 65535) {
      errors.Invalid(at / "port", number, "must be between 1 and 65535, inclusive");
    }
    const std::string_view protocol = StringAt(port, "protocol");
    if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
      errors.NotSupported(at / "protocol", protocol, {"SCTP", "TCP", "UDP"});
    }
  }
}

void ValidateService(const JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const std::string_view type = StringAt(spec, "type");
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer" &&
      type != "ExternalName") {
    errors.NotSupported(path / "type", type,
                        {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  }
  if (type == "ExternalName") {
    if (StringAt(spec, "externalName").empty()) errors.Required(path / "externalName");
  } else if (EmptyAt(spec, "ports") && StringAt(spec, "clusterIP") != "None") {
    errors.Required(path / "ports");
  }
  ValidateServicePorts(spec, path / "ports", errors);
  const std::string_view affinity = StringAt(spec, "sessionAffinity");
  if (affinity != "None" && affinity != "ClientIP") {
    errors.NotSupported(path / "sessionAffinity", affinity, {"ClientIP", "None"});
  }
  ValidateLabels(At(spec, "selector"), path / "selector", errors);
}

void ValidateBudgetNumber(const JsonObject* spec, std::string_view key, const FieldPath& path,
                          FieldErrors& errors) {
  const Json* value = At(spec, key);
  if (!value || AsInt(value)) return errors.NonNegative(path / key, value);
  const std::string_view text = AsString(*value);
  const std::string_view digits = text.substr(0, text.empty() ? 0 : text.size() - 1);
  const bool percent = !digits.empty() && text.back() == '%' &&
                       std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!percent) {
    errors.Invalid(path / key, text,
                   "a valid percent string must be a numeric string followed by an ending '%' "
                   "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
  } else if (digits.size() > 3 || api::ParseInt(digits).value_or(0) > 100) {
    errors.Invalid(path / key, text, "must not be greater than 100%");
  }
}

void ValidateBudget(const JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  if (At(spec, "minAvailable") && At(spec, "maxUnavailable")) {
    errors.InvalidValue(path, *spec, "minAvailable and maxUnavailable cannot be both set");
  }
  ValidateBudgetNumber(spec, "minAvailable", path, errors);
  ValidateBudgetNumber(spec, "maxUnavailable", path, errors);
  ValidateLabelSelector(ObjectAt(spec, "selector"), path / "selector", errors);
  const std::string_view policy = StringAt(spec, "unhealthyPodEvictionPolicy");
  if (!policy.empty() && policy != "IfHealthyBudget" && policy != "AlwaysAllow") {
    errors.NotSupported(path / "unhealthyPodEvictionPolicy", policy,
                        {"AlwaysAllow", "IfHealthyBudget"});
  }
}

void ValidatePriorityClass(const JsonObject& document, FieldErrors& errors) {
  const std::string_view name = StringAt(MetadataOf(document), "name");
  const int64_t value = IntAt(&document, "value").value_or(0);
  if (name.starts_with("system-")) {
    const auto known = std::ranges::find(kSystemPriorities, name, &SystemPriority::name);
    const FieldPath metadata("metadata");
    if (known == kSystemPriorities.end() || known->value != value) {
      const std::string why =
          known == kSystemPriorities.end()
              ? fmt::format("{} is not a known system priority class", name)
              : fmt::format("value of {} PriorityClass must be {}", name, known->value);
      errors.Forbidden(metadata / "name",
                       "priority class names with 'system-' prefix are reserved for system use "
                       "only. error: " +
                           why);
    }
  } else if (value > kHighestUserPriority) {
    errors.Forbidden(FieldPath("value"),
                     fmt::format("maximum allowed value of a user defined priority is {}",
                                 kHighestUserPriority));
  }
  const std::string_view policy = StringAt(&document, "preemptionPolicy");
  if (policy != "Never" && policy != "PreemptLowerPriority") {
    errors.NotSupported(FieldPath("preemptionPolicy"), policy, {"Never", "PreemptLowerPriority"});
  }
}

void ValidateLease(const JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const auto duration = IntAt(spec, "leaseDurationSeconds");
  if (duration && *duration <= 0) {
    errors.Invalid(path / "leaseDurationSeconds", *duration, "must be greater than 0");
  }
  errors.NonNegative(path / "leaseTransitions", At(spec, "leaseTransitions"));
}

// Events are kept in their core form; those of events.k8s.io are told by their eventTime.
void ValidateEvent(const JsonObject& document, FieldErrors& errors) {
  const std::string_view namespace_ = StringAt(MetadataOf(document), "namespace");
  const JsonObject* about = ObjectAt(&document, "involvedObject");
  const std::string_view about_namespace = StringAt(about, "namespace");
  const FieldPath involved("involvedObject");
  const bool fits = about_namespace.empty() ? namespace_ == "default" || namespace_ == "kube-system"
                                            : about_namespace == namespace_;
  if (!fits) {
    errors.Invalid(involved / "namespace", about_namespace, "does not match event.namespace");
  }
  if (StringAt(&document, "eventTime").empty()) return;
  for (const auto& [key, field] :
       {std::pair<std::string_view, std::string_view>{"reportingComponent", "reportingController"},
        {"reportingInstance", "reportingInstance"},
        {"action", "action"},
        {"reason", "reason"}}) {
    if (StringAt(&document, key).empty()) errors.Required(FieldPath(field));
  }
}

void ValidateNodeUpdate(const JsonObject* before, const JsonObject* after, FieldErrors& errors) {
  const FieldPath path("spec");
  if (!IsEmpty(At(before, "podCIDRs")) && !SameAt(before, after, "podCIDRs")) {
    errors.Forbidden(path / "podCIDRs",
                     "node updates may not change podCIDR except from \"\" to valid");
  }
  if (!IsEmpty(At(before, "providerID")) && !SameAt(before, after, "providerID")) {
    errors.Forbidden(path / "providerID",
                     "node updates may not change providerID except from \"\" to valid");
  }
}

void ValidateServiceUpdate(const JsonObject* before, const JsonObject* after, FieldErrors& errors) {
  if (StringAt(before, "type") == "ExternalName" || StringAt(after, "type") == "ExternalName") {
    return;
  }
  if (IsEmpty(At(before, "clusterIP")) || SameAt(before, after, "clusterIP")) return;
  const FieldPath spec("spec");
  const FieldPath path = spec / "clusterIPs";
  errors.Invalid(path[0], StringAt(after, "clusterIP"), "may not change once set");
}

// Config maps and secrets can be sealed.
void ValidateSealed(const JsonObject& before, const JsonObject& after, FieldErrors& errors) {
  if (!BoolAt(&before, "immutable")) return;
  constexpr std::string_view kSealed = "field is immutable when `immutable` is set";
  if (!BoolAt(&after, "immutable")) errors.Forbidden(FieldPath("immutable"), kSealed);
  for (const std::string_view key : {"data", "binaryData"}) {
    if (!SameAt(&before, &after, key)) errors.Forbidden(FieldPath(key), kSealed);
  }
}

}  // namespace

bool ValidateCluster(const Kind& kind, const JsonObject& document, FieldErrors& errors) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  const std::string_view name = kind.kind;
  if (name == "Node") {
    ValidateNode(spec, errors);
  } else if (name == "Service") {
    ValidateService(spec, errors);
  } else if (name == "PodDisruptionBudget") {
    ValidateBudget(spec, errors);
  } else if (name == "PriorityClass") {
    ValidatePriorityClass(document, errors);
  } else if (name == "Lease") {
    ValidateLease(spec, errors);
  } else if (name == "Event") {
    ValidateEvent(document, errors);
  } else {
    return false;
  }
  return true;
}

bool ValidateClusterUpdate(const Kind& kind, const JsonObject& before, const JsonObject& after,
                           FieldErrors& errors) {
  const JsonObject* old_spec = ObjectAt(&before, "spec");
  const JsonObject* new_spec = ObjectAt(&after, "spec");
  const std::string_view name = kind.kind;
  if (name == "Node") {
    ValidateNodeUpdate(old_spec, new_spec, errors);
  } else if (name == "Service") {
    ValidateServiceUpdate(old_spec, new_spec, errors);
  } else if (name == "PriorityClass") {
    if (!SameAt(&before, &after, "value")) {
      errors.Forbidden(FieldPath("value"), "may not be changed in an update.");
    }
    if (!SameAt(&before, &after, "preemptionPolicy")) {
      errors.Invalid(FieldPath("preemptionPolicy"), StringAt(&after, "preemptionPolicy"),
                     "field is immutable");
    }
  } else if (name == "ConfigMap" || name == "Secret") {
    ValidateSealed(before, after, errors);
    if (name == "Secret" && !SameAt(&before, &after, "type")) {
      errors.Invalid(FieldPath("type"), StringAt(&after, "type"), "field is immutable");
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace berth::apiserver
