// Nodes, namespaces, events and the plain objects of a cluster as `kubectl get` shows them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "kinds/table_columns.h"

namespace berth::apiserver {
namespace {

std::string NodeStatus(JsonView node) {
  std::string status = "Unknown";
  for (const JsonView condition : node["status"]["conditions"].items()) {
    if (condition["type"].text() != "Ready") continue;
    status = condition["status"].text() == "True" ? "Ready" : "NotReady";
  }
  if (node["spec"]["unschedulable"].flag()) status += ",SchedulingDisabled";
  return status;
}

std::string NodeRoles(JsonView node) {
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

std::string NodeAddress(JsonView node, std::string_view type) {
  for (const JsonView address : node["status"]["addresses"].items()) {
    if (address["type"].text() == type) return std::string(address["address"].text());
  }
  return "<none>";
}

Cells NodeCells(JsonView node, Instant now) {
  const JsonView info = node["status"]["nodeInfo"];
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

// A field by its core name or, in events.k8s.io, by the other.
JsonView Either(JsonView event, std::string_view core, std::string_view other) {
  const JsonView found = event[core];
  return found ? found : event[other];
}

std::string Trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string EventTarget(JsonView involved) {
  std::string target(involved["kind"].text());
  for (char& c : target) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!involved["name"].text().empty()) target += fmt::format("/{}", involved["name"].text());
  return target;
}

std::string EventSource(JsonView event) {
  const JsonView source = Either(event, "source", "deprecatedSource");
  std::string text(source["component"].text_or(
      Either(event, "reportingComponent", "reportingController").text()));
  const std::string_view host = source["host"].text_or(event["reportingInstance"].text());
  if (!host.empty()) text += fmt::format(", {}", host);
  return text;
}

Cells EventCells(JsonView event, Instant now) {
  const JsonView involved = Either(event, "involvedObject", "regarding");
  const JsonView first = Either(event, "firstTimestamp", "deprecatedFirstTimestamp");
  const JsonView last = Either(event, "lastTimestamp", "deprecatedLastTimestamp");
  const JsonView series = event["series"];
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
  return {{{"Last Seen", "Time since it happened last."},
           {"Type", "Normal or Warning."},
           {"Reason", "Why it happened, in one word."},
           {"Object", "What it is about."},
           {"Subobject", "The part of the object that it is about.", true},
           {"Source", "Who reported it.", true},
           {"Message", "What happened."},
           {"First Seen", "Time since it happened first.", true},
           {"Count", "How often it happened.", true},
           {"Name", "Name of the event.", true, "string", "name"}},
          EventCells};
}

Cells NamespaceCells(JsonView object, Instant now) {
  return {NameOf(object), std::string(object["status"]["phase"].text()), AgeOf(object, now)};
}

Cells ConfigMapCells(JsonView object, Instant now) {
  const size_t entries = object["data"].size() + object["binaryData"].size();
  return {NameOf(object), static_cast<int64_t>(entries), AgeOf(object, now)};
}

Cells SecretCells(JsonView object, Instant now) {
  return {NameOf(object), std::string(object["type"].text_or("Opaque")),
          static_cast<int64_t>(object["data"].size()), AgeOf(object, now)};
}

Cells NameAndAge(JsonView object, Instant now) { return {NameOf(object), AgeOf(object, now)}; }

Cells LeaseCells(JsonView object, Instant now) {
  return {NameOf(object), std::string(object["spec"]["holderIdentity"].text()), AgeOf(object, now)};
}

Cells RuntimeClassCells(JsonView object, Instant now) {
  return {NameOf(object), std::string(object["handler"].text()), AgeOf(object, now)};
}

// Limits are shown apart from everything else.
Cells ResourceQuotaCells(JsonView object, Instant now) {
  auto hard = object["status"]["hard"].fields();
  std::ranges::sort(hard, {}, [](const auto& field) { return field.first; });
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& [resource, most] : hard) {
    const JsonView used = object["status"]["used"][resource];
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
         {"Status", "Whether the node is ready, and whether new pods may come."},
         {"Roles", "Roles given by the node's labels."},
         AgeColumn(),
         {"Version", "Version of the kubelet."},
         {"Internal-IP", "Address within the cluster.", true},
         {"External-IP", "Address from outside.", true},
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
       {{NameColumn(), {"Type", "What it is for."}, {"Data", "Number of entries."}, AgeColumn()},
        SecretCells}},
      {"serviceaccounts", {{NameColumn(), AgeColumn()}, NameAndAge}},
      {"resourcequotas",
       {{NameColumn(),
         {"Request", "Used and allowed, limits aside."},
         {"Limit", "Used and allowed limits."},
         AgeColumn()},
        ResourceQuotaCells}},
      {"leases.coordination.k8s.io",
       {{NameColumn(), {"Holder", "Who holds it."}, AgeColumn()}, LeaseCells}},
      {"runtimeclasses.node.k8s.io",
       {{NameColumn(), {"Handler", "What the nodes call it."}, AgeColumn()}, RuntimeClassCells}},
  };
}

}  // namespace berth::apiserver
