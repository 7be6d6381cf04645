// FilterState is what DynamicResources knows in one cycle, beside the claims that PreBind writes:
// where they can be allocated, and where those that are allocated are available.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/node.h"
#include "api/resource_claim.h"
#include "api/selector.h"
#include "base/result.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/plugins/dynamic_resources/claim_state.h"
#include "scheduler/plugins/dynamic_resources/node_outcomes.h"

namespace berth::scheduler::plugins {

// The nodes where the devices of an allocated claim can be used.
class Availability {
 public:
  // Fails if the node selector of the allocation does not parse.
  static Result<Availability> Make(const api::AllocationResult& allocation);
  static Availability Nowhere();

  bool On(const api::Node& node) const;
  bool everywhere() const { return !nowhere_ && !selector_; }

 private:
  bool nowhere_ = false;
  std::optional<api::CompiledNodeSelector> selector_;
};

struct FilterState final : ClaimState {
  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<FilterState>(*this);
  }

  // For the claims of the pod that are not allocated; null if all are.
  std::shared_ptr<NodeOutcomes> outcomes;
  // By index in pod->claims: of those that are allocated and not available everywhere.
  std::map<size_t, Availability> availability;
  // The special claim is left from an earlier attempt.
  bool has_stale_special_claim = false;
  // Of the alternatives of claims that are allocated: see DynamicResources::Score.
  int64_t score = 0;

  // Reports whether all claims that are allocated can be used on the node.
  bool IsAvailableOn(const api::Node& node) const;
  // The claims to allocate, in the order of the search.
  std::vector<const api::ResourceClaim*> ToAllocate() const;
  // What the outcome means for the node, as kube-scheduler words it.
  framework::Verdict VerdictOf(const NodeOutcome& outcome, const std::string& node) const;
};

// Returns the allocations that Filter found for the pod on `node`, by the name of the claim: those
// of claims that are not allocated. Share ids are empty.
std::map<std::string, api::AllocationResult> AllocationsOn(const framework::Cycle& cycle,
                                                           const FilterState& state,
                                                           model::NodeRow node);

}  // namespace berth::scheduler::plugins
