#include "scheduler/devices/allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scheduler/devices/capacity.h"

namespace berth::scheduler::devices {
namespace {

bool SameRequirement(const api::NodeSelectorRequirement& a, const api::NodeSelectorRequirement& b) {
  return a.key == b.key && a.op == b.op &&
         std::set(a.values.begin(), a.values.end()) == std::set(b.values.begin(), b.values.end());
}

void AddNew(const std::vector<api::NodeSelectorRequirement>& from,
            std::vector<api::NodeSelectorRequirement>& to) {
  for (const api::NodeSelectorRequirement& requirement : from) {
    const bool known = std::ranges::any_of(
        to, [&](const auto& other) { return SameRequirement(other, requirement); });
    if (!known) to.push_back(requirement);
  }
}

api::NodeSelector ByName(const std::string& node) {
  // A list in braces would copy its items.
  api::NodeSelector selector;
  api::NodeSelectorRequirement& name = selector.terms.emplace_back().match_fields.emplace_back();
  name.key = "metadata.name";
  name.op = "In";
  name.values.push_back(node);
  return selector;
}

// The nodes where a device is available.
struct DeviceNodes {
  bool only_one = false;  // That of the claim.
  std::span<const api::NodeSelectorTerm> terms = {};
};

DeviceNodes NodesOf(const Device& device) {
  const api::ResourceSlice& slice = device.slice->object();
  const bool per_device = slice.per_device_node_selection.value_or(false);
  const auto& node_name = per_device ? device.object->node_name : slice.node_name;
  const auto& selector = per_device ? device.object->node_selector : slice.node_selector;
  if (node_name || device.object->binds_to_node.value_or(false)) return {.only_one = true};
  if (!selector) return {};
  return {.terms = selector->terms};
}

// Returns the nodes where the picked devices are available, for a claim that is allocated on
// `node`; absent means everywhere.
std::optional<api::NodeSelector> NodeSelectorOf(const NodePools& pools, std::span<const Pick> picks,
                                                const std::string& node) {
  api::NodeSelectorTerm all;
  for (const Pick& pick : picks) {
    const DeviceNodes nodes = NodesOf(pools.candidates[pick.candidate].device());
    if (nodes.only_one) return ByName(node);
    if (nodes.terms.empty()) continue;
    AddNew(nodes.terms[0].match_fields, all.match_fields);
    AddNew(nodes.terms[0].match_expressions, all.match_expressions);
  }
  if (all.match_fields.empty() && all.match_expressions.empty()) return std::nullopt;
  api::NodeSelector selector;
  selector.terms.push_back(std::move(all));
  return selector;
}

// The alternative that was chosen for a request.
const CompiledAlternative& ChosenOf(const CompiledRequest& request, uint32_t alternative) {
  return request.alternatives[request.has_alternatives ? alternative : 0];
}

// The configurations of classes, each once, with all requests of the class.
void AddClassConfigs(const CompiledClaim& compiled, const std::vector<uint32_t>& alternatives,
                     std::vector<api::DeviceAllocationConfiguration>& configs) {
  std::map<std::string_view, std::pair<size_t, size_t>> of_class;
  for (size_t r = 0; r < compiled.requests.size(); ++r) {
    const CompiledAlternative& chosen = ChosenOf(compiled.requests[r], alternatives[r]);
    const api::DeviceClass& device_class = *chosen.device_class;
    if (const auto known = of_class.find(device_class.metadata.name); known != of_class.end()) {
      for (size_t i = known->second.first; i < known->second.second; ++i)
        configs[i].requests.push_back(chosen.result_name);
      continue;
    }
    const size_t begin = configs.size();
    for (const api::DeviceClassConfiguration& config : device_class.config) {
      configs.push_back(
          {.source = "FromClass", .requests = {chosen.result_name}, .opaque = config.opaque});
    }
    of_class.emplace(device_class.metadata.name, std::pair(begin, configs.size()));
  }
}

// The configurations of the claim: as in kube-scheduler, once for each request that one names.
void AddClaimConfigs(const CompiledClaim& compiled, const api::ResourceClaimSpec& spec,
                     const std::vector<uint32_t>& alternatives,
                     std::vector<api::DeviceAllocationConfiguration>& configs) {
  for (const api::DeviceClaimConfiguration& config : spec.config) {
    auto names = [&](const std::string& name) {
      return std::ranges::find(config.requests, name) != config.requests.end();
    };
    size_t times = config.requests.empty() ? 1 : 0;
    for (size_t r = 0; !config.requests.empty() && r < compiled.requests.size(); ++r) {
      const CompiledRequest& request = compiled.requests[r];
      if (names(request.name) ||
          (request.has_alternatives && names(request.alternatives[alternatives[r]].result_name))) {
        ++times;
      }
    }
    for (size_t i = 0; i < times; ++i) {
      configs.push_back(
          {.source = "FromClaim", .requests = config.requests, .opaque = config.opaque});
    }
  }
}

}  // namespace

std::span<const Pick> PicksOf(const SearchResult& found, size_t claim) {
  const auto picks =
      std::ranges::equal_range(found.picks, static_cast<uint32_t>(claim), {}, &Pick::claim);
  return {picks.begin(), picks.end()};
}

Status CheckNodeSelector(const NodePools& pools, std::span<const Pick> picks) {
  for (const Pick& pick : picks) {
    const DeviceNodes nodes = NodesOf(pools.candidates[pick.candidate].device());
    if (nodes.only_one) return {};
    if (nodes.terms.size() > 1) {
      return Fail(
          fmt::format("unsupported ResourceSlice.NodeSelector with {} terms", nodes.terms.size()));
    }
  }
  return {};
}

api::AllocationResult MakeAllocation(const NodePools& pools, const SearchResult& found,
                                     size_t claim, const CompiledClaim& compiled,
                                     const api::ResourceClaimSpec& spec, const std::string& node,
                                     const Gates& gates,
                                     const std::function<std::string(size_t)>& share_id) {
  api::AllocationResult allocation;
  const std::span<const Pick> picks = PicksOf(found, claim);
  for (const Pick& pick : picks) {
    const NodePools::Candidate& candidate = pools.candidates[pick.candidate];
    const api::Device& device = *candidate.device().object;
    const CompiledAlternative& wanted =
        compiled.requests[pick.request].alternatives[pick.alternative];
    api::DeviceRequestAllocationResult& result = allocation.results.emplace_back();
    result.request = wanted.result_name;
    result.driver = candidate.pool->driver;
    result.pool = candidate.pool->name;
    result.device = device.name;
    if (wanted.admin_access) result.admin_access = true;
    result.tolerations = wanted.request->tolerations;
    if (candidate.device().shareable) {
      result.share_id = share_id(allocation.results.size() - 1);
      result.consumed_capacity = ConsumedCapacities(wanted.request->capacity_requests, device);
    }
    if (gates.binding_conditions) {
      result.binding_conditions = device.binding_conditions.value_or(std::vector<std::string>());
      result.binding_failure_conditions = device.binding_failure_conditions;
    }
  }
  AddClassConfigs(compiled, found.alternatives[claim], allocation.config);
  AddClaimConfigs(compiled, spec, found.alternatives[claim], allocation.config);
  allocation.node_selector = NodeSelectorOf(pools, picks, node);
  return allocation;
}

}  // namespace berth::scheduler::devices
