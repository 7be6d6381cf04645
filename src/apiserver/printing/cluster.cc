// The layouts of nodes, namespaces, events, small core kinds, services, endpoints and role
// bindings.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "apiserver/printing/columns.h"

namespace berth::apiserver::printing {
namespace {

std::string NodeStatus(api::JsonView node) {
  std::string status = "Unknown";
  for (const api::JsonView condition : node["status"]["conditions"].items()) {
    if (condition["type"].text() != "Ready") continue;
    status = condition["status"].text() == "True" ? "Ready" : "NotReady";
  }
  if (node["spec"]["unschedulable"].flag()) status += ",SchedulingDisabled";
  return status;
}

std::string NodeRoles(api::JsonView node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : node["metadata"]["labels"].fields()) {
    if (key.starts_with(kPrefix)) roles.emplace(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role") roles.emplace(value.text());
  }
  roles.erase("");
  if (roles.empty()) return "<none>";
  return Join({roles.begin(), roles.end()}, ",");
}

std::string NodeAddress(api::JsonView node, std::string_view type) {
  for (const api::JsonView address : node["status"]["addresses"].items()) {
    if (address["type"].text() == type) return std::string(address["address"].text());
  }
  return "<none>";
}

Cells NodeCells(api::JsonView node, Instant now) {
  const api::JsonView info = node["status"]["nodeInfo"];
  std::string kernel(info["kernelVersion"].text_or("<unknown>"));
  if (!info["architecture"].text().empty()) {
    kernel += fmt::format(" ({})", info["architecture"].text());
  }
  return {NameOf(node),
          NodeStatus(node),
          NodeRoles(node),
          AgeOf(node, now),
          std::string(info["kubeletVersion"].text()),
          NodeAddress(node, "InternalIP"),
          NodeAddress(node, "ExternalIP"),
          std::string(info["osImage"].text_or("<unknown>")),
          std::move(kernel),
          std::string(info["containerRuntimeVersion"].text_or("<unknown>"))};
}

// Returns the field `core`, or its name in events.k8s.io, `other`.
api::JsonView Either(api::JsonView event, std::string_view core, std::string_view other) {
  const api::JsonView found = event[core];
  return found ? found : event[other];
}

std::string Trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string EventTarget(api::JsonView involved) {
  std::string target(involved["kind"].text());
  for (char& c : target) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!involved["name"].text().empty()) target += fmt::format("/{}", involved["name"].text());
  return target;
}

std::string EventSource(api::JsonView event) {
  const api::JsonView source = Either(event, "source", "deprecatedSource");
  std::string text(source["component"].text_or(
      Either(event, "reportingComponent", "reportingController").text()));
  const std::string_view host = source["host"].text_or(event["reportingInstance"].text());
  if (!host.empty()) text += fmt::format(", {}", host);
  return text;
}

Cells EventCells(api::JsonView event, Instant now) {
  const api::JsonView involved = Either(event, "involvedObject", "regarding");
  const api::JsonView first = Either(event, "firstTimestamp", "deprecatedFirstTimestamp");
  const api::JsonView last = Either(event, "lastTimestamp", "deprecatedLastTimestamp");
  const api::JsonView series = event["series"];
  const std::string first_seen = Since(first ? first : event["eventTime"], now);
  std::string last_seen = last ? Since(last, now) : first_seen;
  int64_t count = Either(event, "count", "deprecatedCount").number();
  if (series) {
    last_seen = Since(series["lastObservedTime"], now);
    count = series["count"].number();
  } else if (count == 0) {
    count = 1;
  }
  return {std::move(last_seen),
          std::string(event["type"].text()),
          std::string(event["reason"].text()),
          EventTarget(involved),
          std::string(involved["fieldPath"].text()),
          EventSource(event),
          Trimmed(Either(event, "message", "note").text()),
          first_seen,
          count,
          NameOf(event)};
}

TableLayout EventLayout() {
  return {{{"Last Seen", "Time since the last occurrence."},
           {"Type", "Normal or Warning."},
           {"Reason", "Reason of the event."},
           {"Object", "Object that the event is about."},
           {"Subobject", "Part of the object that the event is about.", true},
           {"Source", "Component that reported the event.", true},
           {"Message", "What happened."},
           {"First Seen", "Time since the first occurrence.", true},
           {"Count", "Number of occurrences.", true},
           {"Name", "Name of the event.", true, "string", "name"}},
          EventCells};
}

Cells NamespaceCells(api::JsonView object, Instant now) {
  return {NameOf(object), std::string(object["status"]["phase"].text()), AgeOf(object, now)};
}

Cells ConfigMapCells(api::JsonView object, Instant now) {
  const size_t entries = object["data"].size() + object["binaryData"].size();
  return {NameOf(object), static_cast<int64_t>(entries), AgeOf(object, now)};
}

Cells SecretCells(api::JsonView object, Instant now) {
  return {NameOf(object), std::string(object["type"].text_or("Opaque")),
          static_cast<int64_t>(object["data"].size()), AgeOf(object, now)};
}

Cells LeaseCells(api::JsonView object, Instant now) {
  return {NameOf(object), std::string(object["spec"]["holderIdentity"].text()), AgeOf(object, now)};
}

Cells LeaseCandidateCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  return {NameOf(object), std::string(spec["leaseName"].text()),
          std::string(spec["binaryVersion"].text()), std::string(spec["emulationVersion"].text()),
          AgeOf(object, now)};
}

Cells RuntimeClassCells(api::JsonView object, Instant now) {
  return {NameOf(object), std::string(object["handler"].text()), AgeOf(object, now)};
}

Cells ResourceQuotaCells(api::JsonView object, Instant now) {
  auto hard = object["status"]["hard"].fields();
  std::ranges::sort(hard, {}, [](const auto& field) { return field.first; });
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& [resource, most] : hard) {
    const api::JsonView used = object["status"]["used"][resource];
    const std::string amount = used ? used.scalar() : "0";
    (resource.starts_with("limits.") ? limits : requests)
        .push_back(fmt::format("{}: {}/{}", resource, amount, most.scalar()));
  }
  return {NameOf(object), Join(requests, ", "), Join(limits, ", "), AgeOf(object, now)};
}

}  // namespace

Layouts ClusterLayouts() {
  return {
      {"nodes",
       {{NameColumn(),
         {"Status", "Whether the node is ready and schedulable."},
         {"Roles", "Roles given by the node's labels."},
         AgeColumn(),
         {"Version", "Version of the kubelet."},
         {"Internal-IP", "Address within the cluster.", true},
         {"External-IP", "Address outside the cluster.", true},
         {"OS-Image", "Operating system.", true},
         {"Kernel-Version", "Kernel and architecture.", true},
         {"Container-Runtime", "Container runtime and its version.", true}},
        NodeCells}},
      {"events", EventLayout()},
      {"events.events.k8s.io", EventLayout()},
      {"namespaces",
       {{NameColumn(), {"Status", "Active or Terminating."}, AgeColumn()}, NamespaceCells}},
      {"configmaps", {{NameColumn(), {"Data", "Number of entries."}, AgeColumn()}, ConfigMapCells}},
      {"secrets",
       {{NameColumn(),
         {"Type", "Type of the secret."},
         {"Data", "Number of entries."},
         AgeColumn()},
        SecretCells}},
      {"serviceaccounts", {{NameColumn(), AgeColumn()}, NameAndAge}},
      {"resourcequotas",
       {{NameColumn(),
         {"Request", "Used and allowed amounts, except limits."},
         {"Limit", "Used and allowed limits."},
         AgeColumn()},
        ResourceQuotaCells}},
      {"leases.coordination.k8s.io",
       {{NameColumn(), {"Holder", "Holder of the lease."}, AgeColumn()}, LeaseCells}},
      {"leasecandidates.coordination.k8s.io",
       {{NameColumn(),
         {"LeaseName", "Name of the lease."},
         {"BinaryVersion", "Version of the candidate."},
         {"EmulationVersion", "Version whose behavior the candidate emulates."},
         AgeColumn()},
        LeaseCandidateCells}},
      {"runtimeclasses.node.k8s.io",
       {{NameColumn(), {"Handler", "Name of the configuration on the nodes."}, AgeColumn()},
        RuntimeClassCells}},
  };
}

namespace {

std::vector<std::string> Texts(api::JsonView array) {
  std::vector<std::string> texts;
  for (const api::JsonView item : array.items()) texts.emplace_back(item.text());
  return texts;
}

std::vector<std::string> LoadBalancerAddresses(api::JsonView service) {
  std::set<std::string> addresses;
  for (const api::JsonView ingress : service["status"]["loadBalancer"]["ingress"].items()) {
    addresses.emplace(ingress["ip"].text_or(ingress["hostname"].text()));
  }
  addresses.erase("");
  return {addresses.begin(), addresses.end()};
}

std::string ExternalIp(api::JsonView service) {
  const api::JsonView spec = service["spec"];
  const std::string_view type = spec["type"].text_or("ClusterIP");
  if (type == "ExternalName") return std::string(spec["externalName"].text());
  std::vector<std::string> addresses;
  if (type == "LoadBalancer") addresses = LoadBalancerAddresses(service);
  for (std::string& address : Texts(spec["externalIPs"])) addresses.push_back(std::move(address));
  if (!addresses.empty()) return Join(addresses, ",");
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

std::string ServicePorts(api::JsonView service) {
  std::vector<std::string> texts;
  for (const api::JsonView port : service["spec"]["ports"].items()) {
    std::string text = fmt::format("{}", port["port"].number());
    if (port["nodePort"].number() > 0) text += fmt::format(":{}", port["nodePort"].number());
    texts.push_back(fmt::format("{}/{}", text, port["protocol"].text_or("TCP")));
  }
  return texts.empty() ? "<none>" : Join(texts, ",");
}

std::string ClusterIp(api::JsonView spec) {
  const std::vector<api::JsonView> ips = spec["clusterIPs"].items();
  return std::string(ips.empty() ? spec["clusterIP"].text_or("<none>") : ips.front().text());
}

Cells ServiceCells(api::JsonView service, Instant now) {
  return {NameOf(service),
          std::string(service["spec"]["type"].text_or("ClusterIP")),
          ClusterIp(service["spec"]),
          ExternalIp(service),
          ServicePorts(service),
          AgeOf(service, now),
          FormatLabels(service["spec"]["selector"])};
}

std::string HostPort(std::string_view address, int64_t port) {
  const bool six = address.find(':') != std::string_view::npos;
  return six ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
}

Cells EndpointsCells(api::JsonView object, Instant now) {
  std::vector<std::string> texts;
  for (const api::JsonView subset : object["subsets"].items()) {
    const std::vector<api::JsonView> addresses = subset["addresses"].items();
    const std::vector<api::JsonView> ports = subset["ports"].items();
    // A headless service may have no ports.
    if (ports.empty()) {
      for (const api::JsonView address : addresses) texts.emplace_back(address["ip"].text());
    }
    for (const api::JsonView port : ports) {
      for (const api::JsonView address : addresses) {
        texts.push_back(HostPort(address["ip"].text(), port["port"].number()));
      }
    }
  }
  const bool none = object["subsets"].size() == 0;
  return {NameOf(object), none ? "<none>" : FirstThree(texts), AgeOf(object, now)};
}

Cells EndpointSliceCells(api::JsonView object, Instant now) {
  std::vector<std::string> ports;
  for (const api::JsonView port : object["ports"].items()) {
    ports.push_back(port["port"] ? port["port"].scalar() : std::string(port["name"].text_or("*")));
  }
  std::vector<std::string> addresses;
  for (const api::JsonView endpoint : object["endpoints"].items()) {
    for (std::string& address : Texts(endpoint["addresses"])) {
      addresses.push_back(std::move(address));
    }
  }
  const auto listed = [](const std::vector<std::string>& texts) {
    return texts.empty() ? "<unset>" : FirstThree(texts);
  };
  return {NameOf(object), std::string(object["addressType"].text()), listed(ports),
          listed(addresses), AgeOf(object, now)};
}

}  // namespace

Layouts NetworkLayouts() {
  return {
      {"services",
       {{NameColumn(),
         {"Type", "Type of the service."},
         {"Cluster-IP", "Address within the cluster."},
         {"External-IP", "Addresses outside the cluster."},
         {"Port(s)", "Ports, and node ports after a colon."},
         AgeColumn(),
         {"Selector", "Labels of the pods of the service.", true}},
        ServiceCells}},
      {"endpoints",
       {{NameColumn(), {"Endpoints", "Addresses of the pods of the service."}, AgeColumn()},
        EndpointsCells}},
      {"endpointslices.discovery.k8s.io",
       {{NameColumn(),
         {"AddressType", "Type of the addresses."},
         {"Ports", "Ports of every endpoint."},
         {"Endpoints", "Addresses of the endpoints."},
         AgeColumn()},
        EndpointSliceCells}},
  };
}

namespace {

Cells BindingCells(api::JsonView object, Instant now) {
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> accounts;
  for (const api::JsonView subject : object["subjects"].items()) {
    const std::string_view kind = subject["kind"].text();
    const std::string name(subject["name"].text());
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
    if (kind != "ServiceAccount") continue;
    const std::string_view space = subject["namespace"].text();
    accounts.push_back(space.empty() ? name : fmt::format("{}/{}", space, name));
  }
  const api::JsonView role = object["roleRef"];
  return {NameOf(object),     fmt::format("{}/{}", role["kind"].text(), role["name"].text()),
          AgeOf(object, now), Join(users, ", "),
          Join(groups, ", "), Join(accounts, ", ")};
}

TableLayout BindingLayout() {
  return {{NameColumn(),
           {"Role", "Granted role."},
           AgeColumn(),
           {"Users", "Users with the role.", true},
           {"Groups", "Groups with the role.", true},
           {"ServiceAccounts", "Service accounts with the role.", true}},
          BindingCells};
}

}  // namespace

Layouts AccessLayouts() {
  return {{"rolebindings.rbac.authorization.k8s.io", BindingLayout()},
          {"clusterrolebindings.rbac.authorization.k8s.io", BindingLayout()}};
}

}  // namespace berth::apiserver::printing
