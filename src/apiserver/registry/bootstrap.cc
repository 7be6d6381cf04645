#include "apiserver/registry/bootstrap.h"

#include <array>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/strategy.h"

namespace berth::apiserver::registry {

namespace {

constexpr std::string_view kFlowAutoUpdate = "apf.kubernetes.io/autoupdate-spec";
constexpr std::string_view kServiceRange = "10.96.0.0/12";
// The address of a server on loopback, which endpoints may not have: nothing connects to it, since
// no containers run. Of a range that is reserved for examples.
constexpr std::string_view kNoAddress = "192.0.2.1";

api::JsonObject& Append(api::JsonArray& list) {
  return list.emplace_back(boost::json::object_kind).get_object();
}

api::JsonArray ListOf(std::initializer_list<std::string_view> texts) {
  api::JsonArray list;
  for (const std::string_view text : texts) list.emplace_back(text);
  return list;
}

api::JsonObject NamedWith(std::string_view name, std::string_view annotation) {
  api::JsonObject document;
  api::JsonObject& metadata = admission::MetadataOf(document);
  api::SetString(metadata, "name", name);
  if (!annotation.empty()) {
    api::SetString(api::EnsureObject(metadata, "annotations"), annotation, "true");
  }
  return document;
}

struct PriorityLevel {
  std::string_view name;
  int64_t shares;
  int64_t lendable;
  int64_t queues;     // 0: requests are rejected instead of queued.
  int64_t hand_size;  // Of shuffle sharding.
};
constexpr std::array<PriorityLevel, 7> kPriorityLevels = {{
    {"catch-all", 5, 0, 0, 0},
    {"system", 30, 33, 64, 6},
    {"node-high", 40, 25, 64, 6},
    {"leader-election", 10, 0, 16, 4},
    {"workload-high", 40, 50, 128, 6},
    {"workload-low", 100, 90, 128, 6},
    {"global-default", 20, 50, 128, 6},
}};
constexpr int64_t kQueueLengthLimit = 50;

api::JsonObject DocumentOf(const PriorityLevel& level) {
  api::JsonObject document = NamedWith(level.name, kFlowAutoUpdate);
  api::JsonObject& spec = api::EnsureObject(document, "spec");
  api::SetString(spec, "type", "Limited");
  api::JsonObject& limited = api::EnsureObject(spec, "limited");
  api::SetInt(limited, "nominalConcurrencyShares", level.shares);
  api::SetInt(limited, "lendablePercent", level.lendable);
  api::JsonObject& response = api::EnsureObject(limited, "limitResponse");
  api::SetString(response, "type", level.queues == 0 ? "Reject" : "Queue");
  if (level.queues == 0) return document;
  api::JsonObject& queuing = api::EnsureObject(response, "queuing");
  api::SetInt(queuing, "queues", level.queues);
  api::SetInt(queuing, "handSize", level.hand_size);
  api::SetInt(queuing, "queueLengthLimit", kQueueLengthLimit);
  return document;
}

api::JsonObject ExemptLevel() {
  api::JsonObject document = NamedWith("exempt", kFlowAutoUpdate);
  api::JsonObject& spec = api::EnsureObject(document, "spec");
  api::SetString(spec, "type", "Exempt");
  api::JsonObject& exempt = api::EnsureObject(spec, "exempt");
  api::SetInt(exempt, "nominalConcurrencyShares", 0);
  api::SetInt(exempt, "lendablePercent", 0);
  return document;
}

struct FlowSchema {
  std::string_view name;
  std::string_view level;
  int64_t precedence;
  std::string_view distinguisher;  // "", "ByUser" or "ByNamespace".
  // "group x", "user x" or "account x", an account of kube-system; separated by commas.
  std::string_view subjects;
};
constexpr std::string_view kEverybody = "group system:unauthenticated,group system:authenticated";
// Those that match all requests of their subjects.
constexpr std::array<FlowSchema, 8> kFlowSchemas = {{
    {"exempt", "exempt", 1, "", "group system:masters"},
    {"catch-all", "catch-all", 10000, "ByUser", kEverybody},
    {"system-nodes", "system", 500, "ByUser", "group system:nodes"},
    {"kube-controller-manager", "workload-high", 800, "ByNamespace",
     "user system:kube-controller-manager"},
    {"kube-scheduler", "workload-high", 800, "ByNamespace", "user system:kube-scheduler"},
    {"kube-system-service-accounts", "workload-high", 900, "ByNamespace", "account *"},
    {"service-accounts", "workload-low", 9000, "ByUser", "group system:serviceaccounts"},
    {"global-default", "global-default", 9900, "ByUser", kEverybody},
}};

void AddSubjects(api::JsonArray& subjects, std::string_view texts) {
  while (!texts.empty()) {
    const size_t end = texts.find(',');
    const std::string_view text = texts.substr(0, end);
    texts.remove_prefix(end == texts.npos ? texts.size() : end + 1);
    const size_t space = text.find(' ');
    const std::string_view type = text.substr(0, space);
    api::JsonObject& subject = Append(subjects);
    if (type == "account") {
      api::SetString(subject, "kind", "ServiceAccount");
      api::JsonObject& account = api::EnsureObject(subject, "serviceAccount");
      api::SetString(account, "namespace", "kube-system");
      api::SetString(account, "name", text.substr(space + 1));
      continue;
    }
    api::SetString(subject, "kind", type == "group" ? "Group" : "User");
    api::SetString(api::EnsureObject(subject, type), "name", text.substr(space + 1));
  }
}

void AddResourceRule(api::JsonObject& rule, const api::JsonArray& verbs, std::string_view group,
                     const api::JsonArray& resources, bool cluster_scope) {
  api::JsonObject& added = Append(api::EnsureArray(rule, "resourceRules"));
  added["verbs"] = verbs;
  added["apiGroups"] = ListOf({group});
  added["resources"] = resources;
  added["namespaces"] = ListOf({"*"});
  if (cluster_scope) api::SetBool(added, "clusterScope", true);
}

void AddUrlRule(api::JsonObject& rule, std::string_view verb, const api::JsonArray& urls) {
  api::JsonObject& added = Append(api::EnsureArray(rule, "nonResourceRules"));
  added["verbs"] = ListOf({verb});
  added["nonResourceURLs"] = urls;
}

// Returns the schema with one rule, which has subjects only.
api::JsonObject SchemaWithoutRules(const FlowSchema& schema) {
  api::JsonObject document = NamedWith(schema.name, kFlowAutoUpdate);
  api::JsonObject& spec = api::EnsureObject(document, "spec");
  api::SetString(api::EnsureObject(spec, "priorityLevelConfiguration"), "name", schema.level);
  api::SetInt(spec, "matchingPrecedence", schema.precedence);
  if (!schema.distinguisher.empty()) {
    api::SetString(api::EnsureObject(spec, "distinguisherMethod"), "type", schema.distinguisher);
  }
  AddSubjects(api::EnsureArray(Append(api::EnsureArray(spec, "rules")), "subjects"),
              schema.subjects);
  return document;
}

api::JsonObject& RuleOf(api::JsonObject& schema) {
  return api::EnsureArray(api::EnsureObject(schema, "spec"), "rules").front().get_object();
}

std::vector<api::JsonObject> FlowSchemas() {
  const api::JsonArray any = ListOf({"*"});
  std::vector<api::JsonObject> schemas;
  for (const FlowSchema& schema : kFlowSchemas) {
    schemas.push_back(SchemaWithoutRules(schema));
    AddResourceRule(RuleOf(schemas.back()), any, "*", any, true);
    AddUrlRule(RuleOf(schemas.back()), "*", any);
  }
  schemas.push_back(SchemaWithoutRules({"probes", "exempt", 2, "", kEverybody}));
  AddUrlRule(RuleOf(schemas.back()), "get", ListOf({"/healthz", "/readyz", "/livez"}));
  schemas.push_back(SchemaWithoutRules(
      {"system-leader-election", "leader-election", 100, "ByUser",
       "user system:kube-controller-manager,user system:kube-scheduler,account *"}));
  AddResourceRule(RuleOf(schemas.back()), ListOf({"get", "create", "update"}),
                  "coordination.k8s.io", ListOf({"leases"}), false);
  schemas.push_back(
      SchemaWithoutRules({"system-node-high", "node-high", 400, "ByUser", "group system:nodes"}));
  AddResourceRule(RuleOf(schemas.back()), any, "", ListOf({"nodes", "nodes/status"}), true);
  AddResourceRule(RuleOf(schemas.back()), any, "coordination.k8s.io", ListOf({"leases"}), false);
  return schemas;
}

// Creates the object unless it exists.
void Ensure(Api& api, const api::scheme::Kind& kind, std::string_view namespace_,
            api::JsonObject document) {
  const std::string name(api::StringAt(&admission::MetadataOf(document), "name"));
  if (api.store().Get(kind.collection, {std::string(namespace_), name})) return;
  (void)api.Create(kind, namespace_, std::move(document));
}

void CreateFlowControl(Api& api) {
  const auto& levels =
      api::scheme::KindOf("prioritylevelconfigurations.flowcontrol.apiserver.k8s.io");
  Ensure(api, levels, "", ExemptLevel());
  for (const PriorityLevel& level : kPriorityLevels) Ensure(api, levels, "", DocumentOf(level));
  const auto& schemas = api::scheme::KindOf("flowschemas.flowcontrol.apiserver.k8s.io");
  for (api::JsonObject& schema : FlowSchemas()) {
    const std::string name(api::StringAt(&admission::MetadataOf(schema), "name"));
    Ensure(api, schemas, "", std::move(schema));
    (void)api.Modify(schemas, {"", name}, [&](api::Json& newest) {
      api::JsonObject& fields = newest.get_object();
      const std::string level(api::StringAt(
          api::ObjectAt(api::ObjectAt(&fields, "spec"), "priorityLevelConfiguration"), "name"));
      api::JsonObject& status = api::EnsureObject(fields, "status");
      if (!api::EmptyAt(&status, "conditions")) return false;
      admission::SetCondition(
          status, "Dangling", "False", "Found",
          "This FlowSchema references the PriorityLevelConfiguration object named \"" + level +
              "\" and it exists",
          api.now());
      return true;
    });
  }
}

void CreateServiceRange(Api& api) {
  const auto& ranges = api::scheme::KindOf("servicecidrs.networking.k8s.io");
  api::JsonObject document = NamedWith("kubernetes", "");
  api::EnsureObject(document, "spec")["cidrs"] = ListOf({kServiceRange});
  Ensure(api, ranges, "", std::move(document));
  (void)api.Modify(ranges, {"", "kubernetes"}, [&](api::Json& newest) {
    api::JsonObject& status = api::EnsureObject(newest.get_object(), "status");
    if (!api::EmptyAt(&status, "conditions")) return false;
    admission::SetCondition(status, "Ready", "True", "", "Kubernetes default Service CIDR is ready",
                            api.now());
    // A metav1.Condition has a reason, even an empty one.
    api::SetString(api::EnsureArray(status, "conditions").front().get_object(), "reason", "");
    return true;
  });
}

void SetPorts(api::JsonArray& ports, uint16_t port) {
  ports.clear();
  api::JsonObject& added = Append(ports);
  api::SetString(added, "name", "https");
  api::SetInt(added, "port", port);
  api::SetString(added, "protocol", "TCP");
}

// The endpoints that the service "kubernetes", which has no selector, leads to.
void CreateOwnEndpoints(Api& api, const ServerAddress& server) {
  const bool loopback = server.address.starts_with("127.") ||
                        server.address.find_first_not_of("0123456789.") != std::string::npos ||
                        server.address == "0.0.0.0" || server.address.empty();
  const std::string_view address = loopback ? kNoAddress : std::string_view(server.address);
  const ObjectName name{"default", "kubernetes"};

  const auto& slices = api::scheme::KindOf("endpointslices.discovery.k8s.io");
  api::JsonObject slice = NamedWith(name.name, "");
  api::SetString(api::EnsureObject(admission::MetadataOf(slice), "labels"),
                 "kubernetes.io/service-name", name.name);
  api::SetString(slice, "addressType", "IPv4");
  Ensure(api, slices, name.namespace_, std::move(slice));
  (void)api.Modify(slices, name, [&](api::Json& newest) {
    api::JsonObject& fields = newest.get_object();
    api::JsonArray endpoints;
    api::JsonObject& endpoint = Append(endpoints);
    endpoint["addresses"] = ListOf({address});
    api::SetBool(api::EnsureObject(endpoint, "conditions"), "ready", true);
    fields["endpoints"] = std::move(endpoints);
    SetPorts(api::EnsureArray(fields, "ports"), server.port);
    return true;
  });

  const auto& all_endpoints = api::scheme::KindOf("endpoints");
  api::JsonObject old_form = NamedWith(name.name, "");
  // The slice exists already.
  api::SetString(api::EnsureObject(admission::MetadataOf(old_form), "labels"),
                 "endpointslice.kubernetes.io/skip-mirror", "true");
  Ensure(api, all_endpoints, name.namespace_, std::move(old_form));
  (void)api.Modify(all_endpoints, name, [&](api::Json& newest) {
    api::JsonArray subsets;
    api::JsonObject& subset = Append(subsets);
    api::SetString(Append(api::EnsureArray(subset, "addresses")), "ip", address);
    SetPorts(api::EnsureArray(subset, "ports"), server.port);
    newest.get_object()["subsets"] = std::move(subsets);
    return true;
  });
}

}  // namespace

void CreateClusterObjects(Api& api, const ServerAddress& server) {
  for (BootstrapObject& object : RbacObjects()) {
    Ensure(api, api::scheme::KindOf(object.resource), object.namespace_,
           std::move(object.document));
  }
  CreateFlowControl(api);
  CreateServiceRange(api);
  CreateOwnEndpoints(api, server);
}

}  // namespace berth::apiserver::registry
