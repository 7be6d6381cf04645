#include "cmd/conformance_allocations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::cmd {
namespace {

using Value = JsonFields::Value;

api::DeviceRequestAllocationResult ReadDevice(JsonFields& json, Value object) {
  api::DeviceRequestAllocationResult device;
  device.request = json.String(object, "request");
  device.driver = json.String(object, "driver");
  device.pool = json.String(object, "pool");
  device.device = json.String(object, "device");
  if (json.Bool(object, "adminAccess")) device.admin_access = true;
  if (json.Bool(object, "shared")) device.share_id = "";
  device.binding_conditions = json.Strings(object, "bindingConditions");
  for (const auto& [name, value] : json.Fields(object, "consumedCapacity")) {
    const auto quantity = api::Quantity::Parse(value.text());
    if (!quantity) json.AddError(name, "must be a quantity");
    device.consumed_capacity[name] = quantity.value_or(api::Quantity());
  }
  return device;
}

std::vector<api::NodeSelectorRequirement> ReadRequirements(JsonFields& json, Value term,
                                                           std::string_view key) {
  std::vector<api::NodeSelectorRequirement> requirements;
  for (const Value object : json.List(term, key)) {
    requirements.push_back({json.String(object, "key"), json.String(object, "operator"),
                            json.Strings(object, "values")});
  }
  return requirements;
}

api::NodeSelector ReadNodeSelector(JsonFields& json, Value object) {
  api::NodeSelector selector;
  for (const Value term : json.List(object, "nodeSelectorTerms")) {
    selector.terms.push_back({.match_expressions = ReadRequirements(json, term, "matchExpressions"),
                              .match_fields = ReadRequirements(json, term, "matchFields")});
  }
  return selector;
}

api::NodeSelector OnlyNode(const std::string& name) {
  return {.terms = {{.match_expressions = {},
                     .match_fields = {{.key = "metadata.name", .op = "In", .values = {name}}}}}};
}

std::string Text(const api::DeviceRequestAllocationResult& device) {
  std::string text =
      fmt::format("{}={}/{}/{}", device.request, device.driver, device.pool, device.device);
  if (device.admin_access.value_or(false)) text += " adminAccess";
  if (device.share_id) text += " shared";
  for (const auto& [name, amount] : device.consumed_capacity)
    text += fmt::format(" {}={}", name, amount.ToString());
  if (!device.binding_conditions.empty())
    text += fmt::format(" until {}", fmt::join(device.binding_conditions, "+"));
  return text;
}

std::string Text(const std::vector<api::NodeSelectorRequirement>& requirements) {
  std::vector<std::string> texts;
  for (const auto& requirement : requirements) {
    texts.push_back(fmt::format("{} {} [{}]", requirement.key, requirement.op,
                                fmt::join(requirement.values, " ")));
  }
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::string Text(const std::optional<api::NodeSelector>& selector) {
  if (!selector) return "all nodes";
  std::vector<std::string> terms;
  for (const api::NodeSelectorTerm& term : selector->terms) {
    terms.push_back(
        fmt::format("fields {}; labels {}", Text(term.match_fields), Text(term.match_expressions)));
  }
  return fmt::format("{}", fmt::join(terms, " or "));
}

std::string Text(const api::AllocationResult* allocation) {
  if (allocation == nullptr) return "nothing";
  std::vector<std::string> devices;
  for (const auto& device : allocation->results) devices.push_back(Text(device));
  return fmt::format("[{}]", fmt::join(devices, ", "));
}

// Returns what is recorded of the device.
api::DeviceRequestAllocationResult Recorded(api::DeviceRequestAllocationResult device) {
  if (device.share_id) device.share_id = "";
  if (!device.admin_access.value_or(false)) device.admin_access.reset();
  device.tolerations.clear();
  device.binding_failure_conditions.clear();
  return device;
}

bool SameDevices(const api::AllocationResult& a, const api::AllocationResult& b) {
  if (a.results.size() != b.results.size()) return false;
  for (size_t i = 0; i < a.results.size(); ++i) {
    if (Recorded(a.results[i]) != Recorded(b.results[i])) return false;
  }
  return true;
}

template <typename Map>
auto FindOrNull(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

void CompareClaim(const std::string& what, const api::AllocationResult* expected,
                  const api::AllocationResult* actual, Differences& differences) {
  const bool both = expected != nullptr && actual != nullptr;
  if (!both || !SameDevices(*expected, *actual)) {
    differences.push_back({"allocation " + what, Text(expected), Text(actual)});
  } else if (expected->node_selector != actual->node_selector) {
    differences.push_back(
        {"nodes of " + what, Text(expected->node_selector), Text(actual->node_selector)});
  }
}

}  // namespace

Result<DeviceAllocations> ReadAllocations(Value expect) {
  JsonFields json;
  DeviceAllocations allocations;
  for (const auto& [node, claims] : json.Fields(expect, "allocations")) {
    for (const auto& [claim, devices] : claims.fields()) {
      api::AllocationResult& allocation = allocations[node][std::string(claim)];
      for (const Value device : devices.items())
        allocation.results.push_back(ReadDevice(json, device));
      allocation.node_selector = OnlyNode(node);
    }
  }
  for (const auto& [node, claims] : json.Fields(expect, "allocationNodeSelectors")) {
    for (const auto& [claim, selector] : claims.fields()) {
      auto& read = allocations[node][std::string(claim)].node_selector;
      read.reset();
      if (selector) read = ReadNodeSelector(json, selector);
    }
  }
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return allocations;
}

Differences CompareAllocations(const DeviceAllocations& expected, const DeviceAllocations& actual) {
  Differences differences;
  std::set<std::pair<std::string, std::string>> all;  // Nodes and claims.
  for (const auto* side : {&expected, &actual}) {
    for (const auto& [node, claims] : *side) {
      for (const auto& [claim, allocation] : claims) all.emplace(node, claim);
    }
  }
  for (const auto& [node, claim] : all) {
    const auto find = [&](const DeviceAllocations& side) {
      const auto* claims = FindOrNull(side, node);
      return claims == nullptr ? nullptr : FindOrNull(*claims, claim);
    };
    CompareClaim(fmt::format("{} {}", node, claim), find(expected), find(actual), differences);
  }
  return differences;
}

}  // namespace berth::cmd
