#include "localcluster/service_endpoints.h"

#include <algorithm>

#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
constexpr std::string_view kHeadless = "service.kubernetes.io/headless";

bool IsHeadless(const JsonObject* spec) { return StringAt(spec, "clusterIP") == "None"; }

// Returns the container port that the service's port leads to, or nullopt if the pod has no port
// of that name.
std::optional<int64_t> TargetPort(const JsonObject& port, const JsonObject* pod_spec) {
  const Json* target = At(&port, "targetPort");
  if (const auto number = api::AsInt(target)) return number;
  const std::string_view name = AsString(target);
  if (name.empty()) return IntAt(&port, "port");
  const std::string_view protocol = StringAt(&port, "protocol");
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const JsonObject& container : ObjectsAt(pod_spec, list)) {
      for (const JsonObject& own : ObjectsAt(&container, "ports")) {
        if (StringAt(&own, "name") == name && StringAt(&own, "protocol") == protocol) {
          return IntAt(&own, "containerPort");
        }
      }
    }
  }
  return std::nullopt;
}

bool HasNamedPort(const JsonObject* spec) {
  return std::ranges::any_of(ObjectsAt(spec, "ports"), [](const JsonObject& port) {
    return !AsString(At(&port, "targetPort")).empty();
  });
}

Json PortsFor(const JsonObject* spec, const JsonObject* pod_spec) {
  JsonArray ports;
  for (const JsonObject& port : ObjectsAt(spec, "ports")) {
    const auto number = TargetPort(port, pod_spec);
    if (!number) continue;
    JsonObject& added = ports.emplace_back(boost::json::object_kind).get_object();
    SetString(added, "name", StringAt(&port, "name"));
    const std::string_view protocol = StringAt(&port, "protocol");
    SetString(added, "protocol", protocol.empty() ? "TCP" : protocol);
    SetInt(added, "port", *number);
    const std::string_view application = StringAt(&port, "appProtocol");
    if (!application.empty()) SetString(added, "appProtocol", application);
  }
  return ports;
}

void SetTarget(JsonObject& endpoint, const PodRecord& pod) {
  JsonObject& target = EnsureObject(endpoint, "targetRef");
  SetString(target, "kind", "Pod");
  SetString(target, "namespace", pod.name().namespace_);
  SetString(target, "name", pod.name().name);
  SetString(target, "uid", pod.uid());
}

}  // namespace

Json ServiceEndpoint::InSlice() const {
  JsonObject endpoint;
  EnsureArray(endpoint, "addresses").emplace_back(pod->ip());
  JsonObject& conditions = EnsureObject(endpoint, "conditions");
  SetBool(conditions, "ready", ready && !pod->deleting);
  SetBool(conditions, "serving", ready);
  SetBool(conditions, "terminating", pod->deleting);
  SetTarget(endpoint, *pod);
  if (!hostname.empty()) SetString(endpoint, "hostname", hostname);
  if (!pod->node().empty()) SetString(endpoint, "nodeName", pod->node());
  if (!zone.empty()) SetString(endpoint, "zone", zone);
  return endpoint;
}

Json ServiceEndpoint::InEndpoints() const {
  JsonObject address;
  SetString(address, "ip", pod->ip());
  if (!hostname.empty()) SetString(address, "hostname", hostname);
  if (!pod->node().empty()) SetString(address, "nodeName", pod->node());
  SetTarget(address, *pod);
  return address;
}

EndpointGroups EndpointsOf(const Context& context, const JsonObject& service,
                           const api::Selector& selector) {
  const JsonObject* metadata = ObjectAt(&service, "metadata");
  const JsonObject* spec = ObjectAt(&service, "spec");
  const bool any_state = BoolAt(spec, "publishNotReadyAddresses");
  const bool named_ports = HasNamedPort(spec);
  const bool headless = IsHeadless(spec);
  EndpointGroups groups;
  const Json fixed_ports = named_ports ? Json() : PortsFor(spec, nullptr);
  context.pods.ForEachIn(std::string(StringAt(metadata, "namespace")), [&](const PodRecord& pod) {
    if (pod.finished() || pod.ip().empty() || !Matches(selector, *pod.object)) return;
    ServiceEndpoint endpoint{.pod = &pod, .ready = any_state || pod.ready};
    Json ports = fixed_ports;
    if (named_ports || headless) {
      const Json document = apiserver::store::Parse(*pod.object);
      const JsonObject* pod_spec = ObjectAt(AsObject(document), "spec");
      if (named_ports) ports = PortsFor(spec, pod_spec);
      if (StringAt(pod_spec, "subdomain") == StringAt(metadata, "name")) {
        endpoint.hostname = StringAt(pod_spec, "hostname");
      }
    }
    if (const NodeRecord* node = context.nodes.Find(pod.node())) {
      if (const std::string* zone = LabelOf(*node->object, kZoneLabel)) endpoint.zone = *zone;
    }
    EndpointGroup& group = groups[CanonicalText(ports)];
    group.ports = std::move(ports);
    group.endpoints.push_back(std::move(endpoint));
  });
  return groups;
}

void CopyServiceLabels(const JsonObject& service, JsonObject& metadata) {
  const JsonObject* from = ObjectAt(ObjectAt(&service, "metadata"), "labels");
  if (from) {
    JsonObject& labels = EnsureObject(metadata, "labels");
    for (const auto& [key, value] : *from) labels[key] = value;
  }
  if (IsHeadless(ObjectAt(&service, "spec"))) {
    SetString(EnsureObject(metadata, "labels"), kHeadless, "");
  }
}

}  // namespace berth::localcluster
