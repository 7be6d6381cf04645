// Defaults of autoscalers, networking, RBAC, webhooks, admission policies and flow control.
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/defaulting.h"
#include "apiserver/admission/limit_ranges.h"

namespace berth::apiserver::admission {
namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

template <typename Use>
void ForEach(api::JsonArray* list, const Use& use) {
  for (size_t i = 0; list && i < list->size(); ++i) {
    if (api::JsonObject* object = (*list)[i].if_object()) use(*object);
  }
}

void DefaultNumber(api::JsonObject& object, std::string_view key, int64_t number) {
  if (api::IntAt(&object, key).value_or(0) == 0) api::SetInt(object, key, number);
}

api::Json ScalingPolicy(std::string_view type, int64_t value) {
  return api::JsonObject{{"type", type}, {"value", value}, {"periodSeconds", 15}};
}

// Scales down by any number of pods, and up to double the number or by four.
void DefaultScalingRules(api::JsonObject& behavior) {
  api::JsonObject& up = api::EnsureObject(behavior, "scaleUp");
  api::DefaultInt(up, "stabilizationWindowSeconds", 0);
  if (!api::At(&up, "policies")) {
    up["policies"] = api::JsonArray{ScalingPolicy("Pods", 4), ScalingPolicy("Percent", 100)};
  }
  api::JsonObject& down = api::EnsureObject(behavior, "scaleDown");
  if (!api::At(&down, "policies")) {
    down["policies"] = api::JsonArray{ScalingPolicy("Percent", 100)};
  }
  for (const std::string_view key : {"scaleUp", "scaleDown"}) {
    api::DefaultString(api::EnsureObject(behavior, key), "selectPolicy", "Max");
  }
}

void DefaultAutoscaler(api::JsonObject& spec) {
  api::DefaultInt(spec, "minReplicas", 1);
  if (api::EmptyAt(&spec, "metrics")) {
    spec["metrics"] = api::JsonArray{api::JsonObject{
        {"type", "Resource"},
        {"resource", api::JsonObject{{"name", "cpu"},
                                     {"target", api::JsonObject{{"type", "Utilization"},
                                                                {"averageUtilization", 80}}}}}}};
  }
  if (api::JsonObject* behavior = api::ObjectAt(&spec, "behavior")) DefaultScalingRules(*behavior);
}

void DefaultNetworkPolicy(api::JsonObject& spec) {
  for (const std::string_view direction : {"ingress", "egress"}) {
    ForEach(api::ArrayAt(&spec, direction), [](api::JsonObject& rule) {
      ForEach(api::ArrayAt(&rule, "ports"),
              [](api::JsonObject& port) { api::DefaultString(port, "protocol", "TCP"); });
    });
  }
  if (!api::EmptyAt(&spec, "policyTypes")) return;
  const bool egress = !api::EmptyAt(&spec, "egress");
  api::JsonArray& types = api::EnsureArray(spec, "policyTypes");
  types.emplace_back("Ingress");
  if (egress) types.emplace_back("Egress");
}

void DefaultRoleBinding(api::JsonObject& binding) {
  if (api::JsonObject* role = api::ObjectAt(&binding, "roleRef")) {
    api::DefaultString(*role, "apiGroup", kRbac);
  }
  ForEach(api::ArrayAt(&binding, "subjects"), [](api::JsonObject& subject) {
    const std::string_view kind = api::StringAt(&subject, "kind");
    if (kind == "User" || kind == "Group") api::DefaultString(subject, "apiGroup", kRbac);
  });
}

// Selects all namespaces and objects.
void DefaultMatch(api::JsonObject& match) {
  api::DefaultString(match, "matchPolicy", "Equivalent");
  api::DefaultObject(match, "namespaceSelector");
  api::DefaultObject(match, "objectSelector");
}

void DefaultRules(api::JsonArray* rules) {
  ForEach(rules, [](api::JsonObject& rule) { api::DefaultString(rule, "scope", "*"); });
}

void DefaultWebhooks(api::JsonArray* webhooks, bool mutating) {
  ForEach(webhooks, [&](api::JsonObject& webhook) {
    DefaultMatch(webhook);
    DefaultRules(api::ArrayAt(&webhook, "rules"));
    api::DefaultString(webhook, "failurePolicy", "Fail");
    api::DefaultInt(webhook, "timeoutSeconds", 10);
    if (mutating) api::DefaultString(webhook, "reinvocationPolicy", "Never");
    if (api::JsonObject* service =
            api::ObjectAt(api::ObjectAt(&webhook, "clientConfig"), "service")) {
      api::DefaultInt(*service, "port", 443);
    }
  });
}

void DefaultMatchResources(api::JsonObject* match) {
  if (!match) return;
  DefaultMatch(*match);
  DefaultRules(api::ArrayAt(match, "resourceRules"));
  DefaultRules(api::ArrayAt(match, "excludeResourceRules"));
}

void DefaultPriorityLevel(api::JsonObject& spec) {
  if (api::JsonObject* exempt = api::ObjectAt(&spec, "exempt")) {
    api::DefaultInt(*exempt, "nominalConcurrencyShares", 0);
    api::DefaultInt(*exempt, "lendablePercent", 0);
  }
  api::JsonObject* limited = api::ObjectAt(&spec, "limited");
  if (!limited) return;
  api::DefaultInt(*limited, "nominalConcurrencyShares", 30);
  api::DefaultInt(*limited, "lendablePercent", 0);
  api::JsonObject* queuing = api::ObjectAt(api::ObjectAt(limited, "limitResponse"), "queuing");
  if (!queuing) return;
  DefaultNumber(*queuing, "handSize", 8);
  DefaultNumber(*queuing, "queues", 64);
  DefaultNumber(*queuing, "queueLengthLimit", 50);
}

}  // namespace

void DefaultGroups(const api::scheme::Kind& kind, api::JsonObject& document) {
  const std::string_view name = kind.kind;
  api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (name == "RoleBinding" || name == "ClusterRoleBinding") return DefaultRoleBinding(document);
  if (name == "MutatingWebhookConfiguration" || name == "ValidatingWebhookConfiguration") {
    return DefaultWebhooks(api::ArrayAt(&document, "webhooks"), name.starts_with("Mutating"));
  }
  if (name == "LimitRange") return DefaultLimitRange(document);
  if (name == "EndpointSlice") {
    return ForEach(api::ArrayAt(&document, "ports"), [](api::JsonObject& port) {
      if (!api::At(&port, "name")) api::SetString(port, "name", "");
      api::DefaultString(port, "protocol", "TCP");
    });
  }
  // Protobuf omits a spec in which nothing is set.
  if (name == "HorizontalPodAutoscaler") {
    return DefaultAutoscaler(api::EnsureObject(document, "spec"));
  }
  if (name == "NetworkPolicy") return DefaultNetworkPolicy(api::EnsureObject(document, "spec"));
  if (!spec) return;
  if (name == "FlowSchema") return DefaultNumber(*spec, "matchingPrecedence", 1000);
  if (name == "PriorityLevelConfiguration") return DefaultPriorityLevel(*spec);
  if (name == "IngressClass") {
    if (api::JsonObject* given = api::ObjectAt(spec, "parameters")) {
      api::DefaultString(*given, "scope", "Cluster");
    }
  } else if (name == "APIService") {
    if (api::JsonObject* service = api::ObjectAt(spec, "service")) {
      api::DefaultInt(*service, "port", 443);
    }
  } else if (name == "ValidatingAdmissionPolicy" || name == "MutatingAdmissionPolicy") {
    api::DefaultString(*spec, "failurePolicy", "Fail");
    DefaultMatchResources(api::ObjectAt(spec, "matchConstraints"));
  } else if (name == "ValidatingAdmissionPolicyBinding" ||
             name == "MutatingAdmissionPolicyBinding") {
    DefaultMatchResources(api::ObjectAt(spec, "matchResources"));
  }
}

}  // namespace berth::apiserver::admission
