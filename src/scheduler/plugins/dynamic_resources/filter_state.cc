#include "scheduler/plugins/dynamic_resources/filter_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/devices/allocation.h"

namespace berth::scheduler::plugins {

Result<Availability> Availability::Make(const api::AllocationResult& allocation) {
  Availability availability;
  if (!allocation.node_selector) return availability;
  auto selector = api::CompiledNodeSelector::Make(*allocation.node_selector);
  if (!selector) return std::unexpected(selector.error());
  availability.selector_ = *std::move(selector);
  return availability;
}

Availability Availability::Nowhere() {
  Availability availability;
  availability.nowhere_ = true;
  return availability;
}

bool Availability::On(const api::Node& node) const {
  return !nowhere_ && (!selector_ || selector_->Matches(node.metadata.labels, node.metadata.name));
}

bool FilterState::IsAvailableOn(const api::Node& node) const {
  return std::ranges::all_of(availability,
                             [&](const auto& claim) { return claim.second.On(node); });
}

std::vector<const api::ResourceClaim*> FilterState::ToAllocate() const {
  std::vector<const api::ResourceClaim*> claims;
  for (const PodClaim& claim : pod->claims) {
    if (!claim.object->status.allocation) claims.push_back(claim.object.get());
  }
  return claims;
}

framework::Verdict FilterState::VerdictOf(const NodeOutcome& outcome,
                                          const std::string& node) const {
  auto reject = [](std::string reason) {
    return framework::Verdict(framework::Code::kUnschedulableAndUnresolvable, std::move(reason));
  };
  const devices::AllocationError& error = outcome.found.error;
  switch (outcome.kind) {
    case NodeOutcome::Kind::kNothing:
    case NodeOutcome::Kind::kAllocated:
      return {};
    case NodeOutcome::Kind::kNotAllocated:
      return reject("cannot allocate all claims");
    case NodeOutcome::Kind::kInvalidPools:
      return reject("invalid resource pools were encountered");
    case NodeOutcome::Kind::kCannotFit:
      return reject("cannot fit resource");
    case NodeOutcome::Kind::kUndecided:
      return reject(std::string(devices::kUndecided));
    case NodeOutcome::Kind::kCutShort:
      return framework::Verdict::Error(
          fmt::format("node {}: timed out trying to allocate devices", node));
    case NodeOutcome::Kind::kSelectorError:
      return framework::Verdict::Error(fmt::format("create NodeSelector for claim {}: {}",
                                                   ToAllocate()[*error.claim]->metadata.name,
                                                   error.text));
    case NodeOutcome::Kind::kError:
      break;
  }
  if (!error.claim) return framework::Verdict::Error(error.text);
  const api::ResourceClaim& claim = *ToAllocate()[*error.claim];
  return framework::Verdict::Error(
      fmt::format("claim {}/{}{}", claim.metadata.namespace_, claim.metadata.name, error.text));
}

std::map<std::string, api::AllocationResult> AllocationsOn(const framework::Cycle& cycle,
                                                           const FilterState& state,
                                                           model::NodeRow node) {
  std::map<std::string, api::AllocationResult> allocations;
  if (state.outcomes == nullptr) return allocations;
  const NodeOutcome& outcome = state.outcomes->For(cycle.cluster(), node);
  if (outcome.kind != NodeOutcome::Kind::kAllocated) return allocations;
  const std::vector<const api::ResourceClaim*> claims = state.ToAllocate();
  for (size_t i = 0; i < claims.size(); ++i) {
    const bool is_special = i == state.outcomes->input().claims.size();
    const devices::CompiledClaim& compiled =
        is_special ? *outcome.special->compiled : *state.outcomes->input().claims[i];
    allocations.emplace(
        claims[i]->metadata.name,
        devices::MakeAllocation(*outcome.pools, outcome.found, i, compiled,
                                is_special ? *outcome.special->spec : claims[i]->spec,
                                cycle.nodes().name(node), cycle.cluster().devices().gates(),
                                [](size_t) { return std::string(); }));
  }
  return allocations;
}

}  // namespace berth::scheduler::plugins
