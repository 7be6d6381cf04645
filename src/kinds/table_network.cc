// Services and endpoints as `kubectl get` shows them.
#include <fmt/format.h>

#include <set>

#include "kinds/table_columns.h"

namespace berth::apiserver {
namespace {

std::vector<std::string> Texts(JsonView array) {
  std::vector<std::string> texts;
  for (const JsonView item : array.items()) texts.emplace_back(item.text());
  return texts;
}

std::vector<std::string> LoadBalancerAddresses(JsonView service) {
  std::set<std::string> addresses;
  for (const JsonView ingress : service["status"]["loadBalancer"]["ingress"].items()) {
    addresses.emplace(ingress["ip"].text_or(ingress["hostname"].text()));
  }
  addresses.erase("");
  return {addresses.begin(), addresses.end()};
}

std::string ExternalIp(JsonView service) {
  const JsonView spec = service["spec"];
  const std::string_view type = spec["type"].text_or("ClusterIP");
  if (type == "ExternalName") return std::string(spec["externalName"].text());
  std::vector<std::string> addresses;
  if (type == "LoadBalancer") addresses = LoadBalancerAddresses(service);
  for (std::string& address : Texts(spec["externalIPs"])) addresses.push_back(std::move(address));
  if (!addresses.empty()) return Join(addresses, ",");
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

std::string ServicePorts(JsonView service) {
  std::vector<std::string> texts;
  for (const JsonView port : service["spec"]["ports"].items()) {
    std::string text = fmt::format("{}", port["port"].number());
    if (port["nodePort"].number() > 0) text += fmt::format(":{}", port["nodePort"].number());
    texts.push_back(fmt::format("{}/{}", text, port["protocol"].text_or("TCP")));
  }
  return texts.empty() ? "<none>" : Join(texts, ",");
}

std::string ClusterIp(JsonView spec) {
  const std::vector<JsonView> ips = spec["clusterIPs"].items();
  return std::string(ips.empty() ? spec["clusterIP"].text_or("<none>") : ips.front().text());
}

Cells ServiceCells(JsonView service, Instant now) {
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

Cells EndpointsCells(JsonView object, Instant now) {
  std::vector<std::string> texts;
  for (const JsonView subset : object["subsets"].items()) {
    const std::vector<JsonView> addresses = subset["addresses"].items();
    const std::vector<JsonView> ports = subset["ports"].items();
    // A headless service may have none.
    if (ports.empty()) {
      for (const JsonView address : addresses) texts.emplace_back(address["ip"].text());
    }
    for (const JsonView port : ports) {
      for (const JsonView address : addresses) {
        texts.push_back(HostPort(address["ip"].text(), port["port"].number()));
      }
    }
  }
  const bool none = object["subsets"].size() == 0;
  return {NameOf(object), none ? "<none>" : FirstThree(texts), AgeOf(object, now)};
}

Cells EndpointSliceCells(JsonView object, Instant now) {
  std::vector<std::string> ports;
  for (const JsonView port : object["ports"].items()) {
    ports.push_back(port["port"] ? port["port"].scalar() : std::string(port["name"].text_or("*")));
  }
  std::vector<std::string> addresses;
  for (const JsonView endpoint : object["endpoints"].items()) {
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
         {"Type", "How the service is reached."},
         {"Cluster-IP", "Address within the cluster."},
         {"External-IP", "Addresses from outside."},
         {"Port(s)", "Ports, and those of the nodes behind a colon."},
         AgeColumn(),
         {"Selector", "Labels of the pods behind the service.", true}},
        ServiceCells}},
      {"endpoints",
       {{NameColumn(), {"Endpoints", "Addresses behind the service."}, AgeColumn()},
        EndpointsCells}},
      {"endpointslices.discovery.k8s.io",
       {{NameColumn(),
         {"AddressType", "What the addresses are."},
         {"Ports", "Ports of every endpoint."},
         {"Endpoints", "Addresses of the endpoints."},
         AgeColumn()},
        EndpointSliceCells}},
  };
}

}  // namespace berth::apiserver
