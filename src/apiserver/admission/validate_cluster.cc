// Validation of nodes, services, disruption budgets, priority classes, events, config maps
// and secrets.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "api/selector.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/priority_classes.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {

namespace {

void ValidateNode(const api::JsonObject* spec, FieldErrors& errors) {
  const api::JsonArray* taints = api::ArrayAt(spec, "taints");
  const FieldPath spec_path("spec");
  const FieldPath path = spec_path / "taints";
  std::set<std::string> seen;
  for (size_t i = 0; taints && i < taints->size(); ++i) {
    const api::JsonObject* taint = api::AsObject((*taints)[i]);
    const FieldPath at = path[i];
    const std::string_view key = api::StringAt(taint, "key");
    const std::string_view effect = api::StringAt(taint, "effect");
    for (const std::string& what : api::QualifiedNameErrors(key)) {
      errors.Invalid(at / "key", key, what);
    }
    if (const auto what = api::ValidateLabelValue(api::StringAt(taint, "value"))) {
      errors.Invalid(at / "value", api::StringAt(taint, "value"), *what);
    }
    if (effect.empty()) {
      errors.Required(at / "effect");
    } else if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      errors.NotSupported(at / "effect", effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    const std::string pair = fmt::format("{}:{}", key, effect);
    if (!seen.insert(pair).second) errors.Duplicate(at, pair);
  }
}

void ValidateServicePorts(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  const api::JsonArray* ports = api::ArrayAt(spec, "ports");
  std::set<std::string_view> names;
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    const api::JsonObject* port = api::AsObject((*ports)[i]);
    const FieldPath at = path[i];
    const std::string_view name = api::StringAt(port, "name");
    if (name.empty() && ports->size() > 1) {
      errors.Required(at / "name");
    } else if (!name.empty()) {
      if (const auto what = CheckDnsLabel(name)) errors.Invalid(at / "name", name, *what);
      if (!names.insert(name).second) errors.Duplicate(at / "name", name);
    }
    const int64_t number = api::IntAt(port, "port").value_or(0);
    if (number < 1 || number > 65535) {
      errors.Invalid(at / "port", number, "must be between 1 and 65535, inclusive");
    }
    const std::string_view protocol = api::StringAt(port, "protocol");
    if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
      errors.NotSupported(at / "protocol", protocol, {"SCTP", "TCP", "UDP"});
    }
  }
}

void ValidateService(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const std::string_view type = api::StringAt(spec, "type");
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer" &&
      type != "ExternalName") {
    errors.NotSupported(path / "type", type,
                        {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  }
  if (type == "ExternalName") {
    if (api::StringAt(spec, "externalName").empty()) errors.Required(path / "externalName");
  } else if (api::EmptyAt(spec, "ports") && api::StringAt(spec, "clusterIP") != "None") {
    errors.Required(path / "ports");
  }
  ValidateServicePorts(spec, path / "ports", errors);
  const std::string_view affinity = api::StringAt(spec, "sessionAffinity");
  if (affinity != "None" && affinity != "ClientIP") {
    errors.NotSupported(path / "sessionAffinity", affinity, {"ClientIP", "None"});
  }
  ValidateLabels(api::At(spec, "selector"), path / "selector", errors);
}

void ValidateBudgetNumber(const api::JsonObject* spec, std::string_view key, const FieldPath& path,
                          FieldErrors& errors) {
  const api::Json* value = api::At(spec, key);
  if (!value || api::AsInt(value)) return errors.NonNegative(path / key, value);
  const std::string_view text = api::AsString(*value);
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

void ValidateBudget(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  if (api::At(spec, "minAvailable") && api::At(spec, "maxUnavailable")) {
    errors.InvalidValue(path, *spec, "minAvailable and maxUnavailable cannot be both set");
  }
  ValidateBudgetNumber(spec, "minAvailable", path, errors);
  ValidateBudgetNumber(spec, "maxUnavailable", path, errors);
  ValidateLabelSelector(api::ObjectAt(spec, "selector"), path / "selector", errors);
  const std::string_view policy = api::StringAt(spec, "unhealthyPodEvictionPolicy");
  if (!policy.empty() && policy != "IfHealthyBudget" && policy != "AlwaysAllow") {
    errors.NotSupported(path / "unhealthyPodEvictionPolicy", policy,
                        {"AlwaysAllow", "IfHealthyBudget"});
  }
}

void ValidatePriorityClass(const api::JsonObject& document, FieldErrors& errors) {
  const std::string_view name = api::StringAt(MetadataOf(document), "name");
  const int64_t value = api::IntAt(&document, "value").value_or(0);
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
  const std::string_view policy = api::StringAt(&document, "preemptionPolicy");
  if (policy != "Never" && policy != "PreemptLowerPriority") {
    errors.NotSupported(FieldPath("preemptionPolicy"), policy, {"Never", "PreemptLowerPriority"});
  }
}

// Events are stored in their core form; those of events.k8s.io have an eventTime.
void ValidateEvent(const api::JsonObject& document, FieldErrors& errors) {
  const std::string_view namespace_ = api::StringAt(MetadataOf(document), "namespace");
  const api::JsonObject* about = api::ObjectAt(&document, "involvedObject");
  const std::string_view about_namespace = api::StringAt(about, "namespace");
  const FieldPath involved("involvedObject");
  const bool fits = about_namespace.empty() ? namespace_ == "default" || namespace_ == "kube-system"
                                            : about_namespace == namespace_;
  if (!fits) {
    errors.Invalid(involved / "namespace", about_namespace, "does not match event.namespace");
  }
  if (api::StringAt(&document, "eventTime").empty()) return;
  for (const auto& [key, field] :
       {std::pair<std::string_view, std::string_view>{"reportingComponent", "reportingController"},
        {"reportingInstance", "reportingInstance"},
        {"action", "action"},
        {"reason", "reason"}}) {
    if (api::StringAt(&document, key).empty()) errors.Required(FieldPath(field));
  }
}

void ValidateNodeUpdate(const api::JsonObject* before, const api::JsonObject* after,
                        FieldErrors& errors) {
  const FieldPath path("spec");
  if (!api::IsEmpty(api::At(before, "podCIDRs")) && !api::SameAt(before, after, "podCIDRs")) {
    errors.Forbidden(path / "podCIDRs",
                     "node updates may not change podCIDR except from \"\" to valid");
  }
  if (!api::IsEmpty(api::At(before, "providerID")) && !api::SameAt(before, after, "providerID")) {
    errors.Forbidden(path / "providerID",
                     "node updates may not change providerID except from \"\" to valid");
  }
}

void ValidateServiceUpdate(const api::JsonObject* before, const api::JsonObject* after,
                           FieldErrors& errors) {
  if (api::StringAt(before, "type") == "ExternalName" ||
      api::StringAt(after, "type") == "ExternalName") {
    return;
  }
  if (api::IsEmpty(api::At(before, "clusterIP")) || api::SameAt(before, after, "clusterIP")) return;
  const FieldPath spec("spec");
  const FieldPath path = spec / "clusterIPs";
  errors.Invalid(path[0], api::StringAt(after, "clusterIP"), "may not change once set");
}

// Config maps and secrets can be immutable.
void ValidateImmutableData(const api::JsonObject& before, const api::JsonObject& after,
                           FieldErrors& errors) {
  if (!api::BoolAt(&before, "immutable")) return;
  constexpr std::string_view kImmutable = "field is immutable when `immutable` is set";
  if (!api::BoolAt(&after, "immutable")) errors.Forbidden(FieldPath("immutable"), kImmutable);
  for (const std::string_view key : {"data", "binaryData"}) {
    if (!api::SameAt(&before, &after, key)) errors.Forbidden(FieldPath(key), kImmutable);
  }
}

}  // namespace

bool ValidateCluster(const api::scheme::Kind& kind, const api::JsonObject& document,
                     FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const std::string_view name = kind.kind;
  if (name == "Node") {
    ValidateNode(spec, errors);
  } else if (name == "Service") {
    ValidateService(spec, errors);
  } else if (name == "PodDisruptionBudget") {
    ValidateBudget(spec, errors);
  } else if (name == "PriorityClass") {
    ValidatePriorityClass(document, errors);
  } else if (name == "Event") {
    ValidateEvent(document, errors);
  } else {
    return false;
  }
  return true;
}

bool ValidateClusterUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                           const api::JsonObject& after, FieldErrors& errors) {
  const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
  const api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  const std::string_view name = kind.kind;
  if (name == "Node") {
    ValidateNodeUpdate(old_spec, new_spec, errors);
  } else if (name == "Service") {
    ValidateServiceUpdate(old_spec, new_spec, errors);
  } else if (name == "PriorityClass") {
    if (!api::SameAt(&before, &after, "value")) {
      errors.Forbidden(FieldPath("value"), "may not be changed in an update.");
    }
    if (!api::SameAt(&before, &after, "preemptionPolicy")) {
      errors.Invalid(FieldPath("preemptionPolicy"), api::StringAt(&after, "preemptionPolicy"),
                     "field is immutable");
    }
  } else if (name == "ConfigMap" || name == "Secret") {
    ValidateImmutableData(before, after, errors);
    if (name == "Secret" && !api::SameAt(&before, &after, "type")) {
      errors.Invalid(FieldPath("type"), api::StringAt(&after, "type"), "field is immutable");
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace berth::apiserver::admission
