// The layouts of networking.k8s.io.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "apiserver/printing/columns.h"

namespace berth::apiserver::printing {
namespace {

constexpr size_t kShownHosts = 3;
// The width of the addresses of a load balancer, beyond which they are cut.
constexpr size_t kAddressWidth = 16;

std::string IngressHosts(api::JsonView rules) {
  std::vector<std::string> hosts;
  bool more = false;
  for (const api::JsonView rule : rules.items()) {
    more = more || hosts.size() == kShownHosts;
    if (!more && !rule["host"].text().empty()) hosts.emplace_back(rule["host"].text());
  }
  if (hosts.empty()) return "*";
  std::string text = Join(hosts, ",");
  if (more) text += fmt::format(" + {} more...", rules.size() - kShownHosts);
  return text;
}

std::string IngressAddress(api::JsonView ingress) {
  std::set<std::string> addresses;
  for (const api::JsonView address : ingress["status"]["loadBalancer"]["ingress"].items()) {
    addresses.emplace(address["ip"].text_or(address["hostname"].text()));
  }
  addresses.erase("");
  std::string text = Join({addresses.begin(), addresses.end()}, ",");
  if (text.size() > kAddressWidth) text = text.substr(0, kAddressWidth - 3) + "...";
  return text;
}

Cells IngressCells(api::JsonView ingress, Instant now) {
  const api::JsonView spec = ingress["spec"];
  return {NameOf(ingress),
          std::string(spec["ingressClassName"] ? spec["ingressClassName"].text() : "<none>"),
          IngressHosts(spec["rules"]),
          IngressAddress(ingress),
          std::string(spec["tls"].size() > 0 ? "80, 443" : "80"),
          AgeOf(ingress, now)};
}

Cells IngressClassCells(api::JsonView object, Instant now) {
  std::string name = NameOf(object);
  const api::JsonView annotations = object["metadata"]["annotations"];
  if (annotations["ingressclass.kubernetes.io/is-default-class"].text() == "true") {
    name += " (default)";
  }
  std::string parameters = "<none>";
  if (const api::JsonView given = object["spec"]["parameters"]) {
    parameters = given["kind"].text();
    if (given["apiGroup"]) parameters += fmt::format(".{}", given["apiGroup"].text());
    parameters += fmt::format("/{}", given["name"].text());
  }
  return {std::move(name), std::string(object["spec"]["controller"].text()), std::move(parameters),
          AgeOf(object, now)};
}

Cells NetworkPolicyCells(api::JsonView object, Instant now) {
  std::string selector = FormatSelector(object["spec"]["podSelector"]);
  if (selector.empty()) selector = "<none>";
  return {NameOf(object), std::move(selector), AgeOf(object, now)};
}

Cells AddressCells(api::JsonView object, Instant) {
  std::string parent = "<none>";
  if (const api::JsonView given = object["spec"]["parentRef"]) {
    parent = given["resource"].text();
    if (!given["group"].text().empty()) parent += fmt::format(".{}", given["group"].text());
    for (char& c : parent) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!given["namespace"].text().empty()) {
      parent += fmt::format("/{}", given["namespace"].text());
    }
    parent += fmt::format("/{}", given["name"].text());
  }
  return {NameOf(object), std::move(parent)};
}

Cells ServiceRangeCells(api::JsonView object, Instant now) {
  std::vector<std::string> ranges;
  for (const api::JsonView range : object["spec"]["cidrs"].items()) {
    ranges.emplace_back(range.text());
  }
  return {NameOf(object), Join(ranges, ","), AgeOf(object, now)};
}

}  // namespace

Layouts NetworkingLayouts() {
  return {
      {"ingresses.networking.k8s.io",
       {{NameColumn(),
         {"Class", "Class of the Ingress."},
         {"Hosts", "Hosts of its rules."},
         {"Address", "Addresses of the load balancer."},
         {"Ports", "Ports of its hosts."},
         AgeColumn()},
        IngressCells}},
      {"ingressclasses.networking.k8s.io",
       {{NameColumn(),
         {"Controller", "Controller of the class."},
         {"Parameters", "Object with parameters of the controller."},
         AgeColumn()},
        IngressClassCells}},
      {"networkpolicies.networking.k8s.io",
       {{NameColumn(), {"Pod-Selector", "Selector of the pods of the policy."}, AgeColumn()},
        NetworkPolicyCells}},
      {"ipaddresses.networking.k8s.io",
       {{NameColumn(), {"ParentRef", "Object that uses the address."}}, AddressCells}},
      {"servicecidrs.networking.k8s.io",
       {{NameColumn(), {"CIDRs", "Ranges of addresses."}, AgeColumn()}, ServiceRangeCells}},
  };
}

}  // namespace berth::apiserver::printing
