#include "scheduler/reference/devices/device_allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scheduler/reference/devices/claim_requests.h"
#include "scheduler/reference/devices/device_features.h"
#include "scheduler/reference/devices/device_search.h"
#include "scheduler/reference/devices/node_devices.h"

namespace berth::scheduler::reference {
namespace {

using Requirements = std::vector<api::NodeSelectorRequirement>;

api::DeviceRequestAllocationResult ToResult(const PickedDevice& picked,
                                            const model::Features& features) {
  const DeviceId id = picked.candidate.id();
  api::DeviceRequestAllocationResult result;
  result.request = picked.wanted->ResultName();
  result.driver = id.driver;
  result.pool = id.pool;
  result.device = id.device;
  if (picked.wanted->admin_access()) result.admin_access = true;
  result.tolerations = picked.wanted->wanted->tolerations;
  if (picked.shared) result.share_id = "";
  result.consumed_capacity = picked.consumed_capacity;
  if (UsesBindingConditions(features)) {
    const api::Device& device = *picked.candidate.device;
    result.binding_conditions = device.binding_conditions.value_or(std::vector<std::string>{});
    result.binding_failure_conditions = device.binding_failure_conditions;
  }
  return result;
}

// Each class is listed once, with all requests that use it.
void AddClassConfigs(const std::vector<const Alternative*>& chosen,
                     std::vector<api::DeviceAllocationConfiguration>& configs) {
  std::map<std::string, std::vector<size_t>> places;  // By class.
  for (const Alternative* wanted : chosen) {
    const api::DeviceClass& device_class = *wanted->device_class;
    const auto [place, is_new] = places.try_emplace(device_class.metadata.name);
    if (is_new) {
      for (const api::DeviceClassConfiguration& config : device_class.config) {
        place->second.push_back(configs.size());
        configs.push_back({"FromClass", {wanted->ResultName()}, config.opaque});
      }
      continue;
    }
    for (size_t i : place->second) configs[i].requests.push_back(wanted->ResultName());
  }
}

// A config that names requests is repeated for each of them that is met.
void AddClaimConfigs(const api::ResourceClaim& claim, const std::vector<const Alternative*>& chosen,
                     std::vector<api::DeviceAllocationConfiguration>& configs) {
  for (const api::DeviceClaimConfiguration& config : claim.spec.config) {
    const auto applies = [&](const Alternative* wanted) {
      return Contains(config.requests, wanted->request) ||
             Contains(config.requests, wanted->ResultName());
    };
    const auto times = config.requests.empty() ? 1 : std::ranges::count_if(chosen, applies);
    configs.insert(configs.end(), static_cast<size_t>(times),
                   {"FromClaim", config.requests, config.opaque});
  }
}

bool SameRequirement(const api::NodeSelectorRequirement& a, const api::NodeSelectorRequirement& b) {
  return a.key == b.key && a.op == b.op &&
         std::set<std::string>(a.values.begin(), a.values.end()) ==
             std::set<std::string>(b.values.begin(), b.values.end());
}

void AddNew(const Requirements& from, Requirements& to) {
  for (const api::NodeSelectorRequirement& requirement : from) {
    if (std::ranges::none_of(to,
                             [&](const auto& old) { return SameRequirement(old, requirement); }))
      to.push_back(requirement);
  }
}

// Returns the nodes that can use all of the devices; nullopt for all nodes.
Result<std::optional<api::NodeSelector>> NodesFor(const std::vector<PickedDevice>& devices,
                                                  const api::Node& node,
                                                  const model::Features& features) {
  api::NodeSelectorTerm term;
  for (const PickedDevice& picked : devices) {
    const api::ResourceSlice& slice = *picked.candidate.slice;
    const api::Device& device = *picked.candidate.device;
    const bool per_device = slice.per_device_node_selection.value_or(false);
    const auto& node_name = per_device ? device.node_name : slice.node_name;
    const auto& selector = per_device ? device.node_selector : slice.node_selector;
    const bool binds = device.binds_to_node.value_or(false) && !UsesStableAllocator(features);
    if (node_name || binds) {
      return api::NodeSelector{
          .terms = {{.match_expressions = {},
                     .match_fields = {{"metadata.name", "In", {node.metadata.name}}}}}};
    }
    if (!selector || selector->terms.empty()) continue;
    if (selector->terms.size() > 1) {
      return Fail(fmt::format("unsupported ResourceSlice.NodeSelector with {} terms",
                              selector->terms.size()));
    }
    AddNew(selector->terms[0].match_fields, term.match_fields);
    AddNew(selector->terms[0].match_expressions, term.match_expressions);
  }
  if (term.match_fields.empty() && term.match_expressions.empty()) return std::nullopt;
  return api::NodeSelector{.terms = {std::move(term)}};
}

AllocationOutcome Describe(const PickedDevices& solution,
                           const std::vector<const api::ResourceClaim*>& claims,
                           const NodeDevices& devices) {
  AllocationOutcome outcome{.kind = AllocationOutcome::Kind::kAllocated};
  for (size_t i = 0; i < claims.size(); ++i) {
    api::AllocationResult& result = outcome.results.emplace_back();
    for (const PickedDevice& picked : solution.by_claim[i])
      result.results.push_back(ToResult(picked, devices.features()));
    AddClassConfigs(solution.alternatives[i], result.config);
    AddClaimConfigs(*claims[i], solution.alternatives[i], result.config);
    auto nodes = NodesFor(solution.by_claim[i], devices.node(), devices.features());
    if (!nodes) {
      return {.kind = AllocationOutcome::Kind::kError,
              .error = fmt::format("create NodeSelector for claim {}: {}", claims[i]->metadata.name,
                                   nodes.error().message)};
    }
    result.node_selector = *std::move(nodes);
  }
  return outcome;
}

}  // namespace

AllocationOutcome AllocateDevices(const Snapshot& snapshot, const api::Node& node,
                                  const model::Features& features,
                                  const AllocatedDevices& allocated,
                                  const std::vector<const api::ResourceClaim*>& claims) {
  using enum AllocationOutcome::Kind;
  NodeDevices devices(snapshot, node, features, allocated);
  if (const Status status = devices.Gather(); !status)
    return {.kind = kError, .error = status.error().message};
  std::vector<ClaimRequests> requests;
  for (const api::ResourceClaim* claim : claims) {
    auto checked = CheckRequests(*claim, devices);
    if (!checked) return {.kind = kError, .error = checked.error().message};
    requests.push_back(*std::move(checked));
  }
  DeviceSearch search(devices, requests);
  switch (search.Run()) {
    case DeviceSearch::Outcome::kSolved:
      return Describe(search.solution(), claims, devices);
    case DeviceSearch::Outcome::kFailed:
      return {.kind = kError, .error = search.error()};
    case DeviceSearch::Outcome::kGaveUp:
      return {.kind = kGaveUp};
    case DeviceSearch::Outcome::kNone:
    case DeviceSearch::Outcome::kExceeded:
      break;
  }
  const bool invalid = std::ranges::any_of(devices.pools(), [](const DevicePool& pool) {
    return pool.state == DevicePool::State::kInvalid;
  });
  return {.kind = invalid ? kInvalidPools : kNone};
}

}  // namespace berth::scheduler::reference
