#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/work_budget.h"
#include "scheduler/devices/allocation.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/scores.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/framework/writes.h"
#include "scheduler/model/device_model.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/plugins/dynamic_resources/allocation_details.h"
#include "scheduler/plugins/dynamic_resources/bind_claims.h"
#include "scheduler/plugins/dynamic_resources/claim_cleanup.h"
#include "scheduler/plugins/dynamic_resources/deallocation.h"
#include "scheduler/plugins/dynamic_resources/filter_state.h"
#include "scheduler/plugins/dynamic_resources/pod_claims.h"
#include "scheduler/plugins/dynamic_resources/special_claim.h"

namespace berth::scheduler::plugins {
namespace {

framework::Verdict RejectPod(std::string reason) {
  return {framework::Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

std::string KeyTextOf(const api::ResourceClaim& claim) {
  return claim.metadata.namespace_ + "/" + claim.metadata.name;
}

framework::Verdict CheckClass(const model::Devices& devices, const api::DeviceSubRequest& request,
                              const std::string& name) {
  if (request.device_class_name.empty())
    return framework::Verdict::Error(fmt::format("request {}: unsupported request type", name));
  if (devices.FindClass(request.device_class_name) != nullptr) return {};
  return RejectPod(
      fmt::format("request {}: device class {} does not exist", name, request.device_class_name));
}

// Checks a claim that must be allocated.
framework::Verdict CheckClaim(const model::Devices& devices, const api::ResourceClaim& claim) {
  if (devices.IsInFlight(claim.metadata.uid)) {
    return RejectPod(
        fmt::format("resource claim {} is in the process of being allocated", KeyTextOf(claim)));
  }
  for (const api::DeviceRequest& request : claim.spec.requests) {
    auto place = [&] {
      return fmt::format("resource claim {}, request {}", KeyTextOf(claim), request.name);
    };
    if (request.exactly) {
      framework::Verdict verdict = CheckClass(devices, *request.exactly, request.name);
      if (!verdict.ok()) return verdict;
    } else if (request.first_available.empty()) {
      return RejectPod(place() + ": unknown request type");
    } else if (!devices.gates().prioritized_list) {
      return RejectPod(place() +
                       ": has subrequests, but the DRAPrioritizedList feature is disabled");
    }
    for (const api::DeviceSubRequest& alternative : request.first_available) {
      framework::Verdict verdict =
          CheckClass(devices, alternative, request.name + "/" + alternative.name);
      if (!verdict.ok()) return verdict;
    }
  }
  return {};
}

// Of a claim that is allocated: what the alternatives that it got are worth.
int64_t ScoreOf(const api::ResourceClaim& claim) {
  int64_t score = 0;
  for (const api::DeviceRequest& request : claim.spec.requests) {
    if (request.exactly) continue;
    for (size_t i = 0; i < request.first_available.size(); ++i) {
      const std::string name = request.name + "/" + request.first_available[i].name;
      const auto& results = claim.status.allocation->results;
      if (std::ranges::find(results, name, &api::DeviceRequestAllocationResult::request) !=
          results.end()) {
        score += 8 - static_cast<int64_t>(i);
      }
    }
  }
  return score;
}

// Where an allocated claim can be used. Devices that failed, or take too long, are given up.
Result<Availability> AvailabilityOf(const framework::Cycle& cycle, const api::ResourceClaim& claim,
                                    Duration timeout) {
  auto availability = Availability::Make(*claim.status.allocation);
  if (!availability || !cycle.cluster().devices().gates().binding_conditions) return availability;
  const auto ready = AreDevicesReady(claim);
  if (!ready || (!*ready && BindingTimedOut(claim, timeout, cycle.date())))
    return Availability::Nowhere();
  return availability;
}

// Members of a group may share a claim that is not allocated yet: the first that is placed
// allocates it. Returns the claim with the allocation that is in flight for such a member; null if
// there is none, or if the pod may not use it.
//
// DIFFERS: in kube-scheduler, and without a complete search, no other pod can use it until it is
// written.
model::ClaimRef AllocatedInGroup(const framework::Cycle& cycle, const api::ResourceClaim& claim) {
  const framework::GroupSearch* search = cycle.group_search();
  if (search == nullptr || !search->complete || claim.status.allocation) return nullptr;
  const auto group = model::GroupNamedBy(*cycle.pod().object);
  if (!group) return nullptr;
  return cycle.cluster().devices().in_flight().FindOf(*group, claim.metadata.uid);
}

bool MayHaveClaims(const framework::Cycle& cycle) {
  return !cycle.spec().resource_claims.empty() ||
         (!cycle.pod_class().requests.scalars.empty() &&
          !cycle.cluster().devices().extended_resources().empty());
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> DynamicResources::Make(
    const framework::DynamicResourcesArgs& args) {
  const double seconds = args.filter_timeout ? args.filter_timeout->seconds() : 0;
  const auto max_work =
      seconds <= 0 ? WorkBudget::kUnlimited
                   : std::max<uint64_t>(
                         1, static_cast<uint64_t>(seconds * static_cast<double>(kWorkPerSecond)));
  return std::unique_ptr<framework::Plugin>(new DynamicResources(
      max_work, args.binding_timeout.value_or(framework::kDefaultBindingTimeout)));
}

std::unique_ptr<framework::ClassState> DynamicResources::Compile(
    model::Cluster&, const model::PodClass& pod_class) const {
  if (pod_class.spec().resource_claims.empty() && pod_class.requests.scalars.empty())
    return nullptr;
  return std::make_unique<OutcomeCache>();
}

framework::Verdict DynamicResources::PreEnqueue(const model::Cluster& cluster,
                                                const model::PodRecord& pod) const {
  const auto claims = ClaimsOf(cluster, *pod.object);
  if (claims) return {};
  return RejectPod(claims.error().message);
}

// --- PreFilter ---

framework::PreFilterResult DynamicResources::PreFilter(framework::Cycle& cycle) const {
  auto made = std::make_unique<FilterState>();
  FilterState& state = *made;
  cycle.SetState(*this, std::move(made));
  if (!MayHaveClaims(cycle)) return {framework::Verdict::Skip(), {}};

  const api::Pod& pod = *cycle.pod().object;
  auto user_claims = ClaimsOf(cycle.cluster(), pod);
  if (!user_claims) return {RejectPod(user_claims.error().message), {}};
  std::vector<PodClaim> claims;
  for (model::ClaimRef& claim : *user_claims) {
    model::ClaimRef in_flight = AllocatedInGroup(cycle, *claim);
    const bool joined = in_flight != nullptr;
    claims.push_back({.object = joined ? std::move(in_flight) : std::move(claim),
                      .special = false,
                      .joined = joined});
  }
  if (model::ClaimRef special = SpecialClaimOf(cycle))
    claims.push_back({.object = std::move(special), .special = true});
  if (claims.empty()) return {framework::Verdict::Skip(), {}};

  AllocationInput input{.claims = {}, .has_user_claims = !user_claims->empty()};
  bool allocates = false;
  const model::Devices& devices = cycle.cluster().devices();
  for (size_t i = 0; i < claims.size(); ++i) {
    const api::ResourceClaim& claim = *claims[i].object;
    if (claim.status.allocation) {
      auto availability = AvailabilityOf(cycle, claim, binding_timeout_);
      if (!availability) return {framework::Verdict::Error(availability.error().message), {}};
      if (!availability->everywhere()) state.availability.emplace(i, *std::move(availability));
      state.score += ScoreOf(claim);
      continue;
    }
    allocates = true;
    if (claims[i].special) {
      input.has_special_claim = true;
      continue;
    }
    framework::Verdict verdict = CheckClaim(devices, claim);
    if (!verdict.ok()) return {std::move(verdict), {}};
    input.claims.push_back(devices.Compile(
        std::shared_ptr<const api::ResourceClaimSpec>(claims[i].object, &claim.spec)));
  }
  state.has_stale_special_claim =
      claims.back().special && !claims.back().object->spec.requests.empty();
  if (allocates) {
    state.outcomes = cycle.class_cache<OutcomeCache>(*this).For(cycle.cluster(), cycle.pod_class(),
                                                                std::move(input), max_work_);
  }
  state.pod = std::make_shared<PodClaims>();
  state.pod->claims = std::move(claims);
  return {};
}

// --- Filter ---

framework::Verdict DynamicResources::FilterNodes(const framework::Cycle& cycle,
                                                 model::NodeMask& nodes) const {
  const auto& state = cycle.state<FilterState>(*this);
  if (state.has_stale_special_claim) {
    nodes.ClearAll();
    return {};
  }
  if (state.outcomes != nullptr) {
    NodeOutcomes& outcomes = *state.outcomes;
    const model::NodeRow failed = outcomes.Evaluate(cycle.cluster(), nodes);
    if (failed.valid())
      return state.VerdictOf(outcomes.For(cycle.cluster(), failed), cycle.nodes().name(failed));
    nodes &= outcomes.passing();
  }
  if (state.availability.empty()) return {};
  nodes.KeepIf([&](size_t row) {
    return state.IsAvailableOn(
        *cycle.nodes().info(model::NodeRow{static_cast<uint32_t>(row)}).object);
  });
  return {};
}

framework::Verdict DynamicResources::FilterNode(const framework::Cycle& cycle,
                                                model::NodeRow node) const {
  const auto& state = cycle.state<FilterState>(*this);
  if (state.has_stale_special_claim) return RejectPod("cannot schedule extended resource claim");
  if (state.outcomes != nullptr) {
    framework::Verdict verdict =
        state.VerdictOf(state.outcomes->For(cycle.cluster(), node), cycle.nodes().name(node));
    if (!verdict.ok()) return verdict;
  }
  if (state.IsAvailableOn(*cycle.nodes().info(node).object)) return {};
  return RejectPod(std::string(kNotAvailable));
}

std::string DynamicResources::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  return AllocationDetails(cycle, cycle.state<FilterState>(*this), node);
}

std::map<std::string, api::AllocationResult> DynamicResources::Allocations(
    const framework::Cycle& cycle, model::NodeRow node) const {
  if (!cycle.has_state(*this)) return {};
  return AllocationsOn(cycle, cycle.state<FilterState>(*this), node);
}

// --- PostFilter ---

Task<framework::PostFilterResult> DynamicResources::PostFilter(
    framework::FailedCycle& failed) const {
  framework::PostFilterResult result;
  framework::Cycle& cycle = failed.attempt.cycle();
  if (!cycle.has_state(*this)) {
    result.verdict = framework::Verdict::Error("not found");
    co_return result;
  }
  DeallocationPlan plan =
      PlanDeallocation(cycle, cycle.state<FilterState>(*this), failed.diagnosis);
  result.verdict = co_await Deallocate(failed.writes, cycle.mutable_cluster(), std::move(plan));
  co_return result;
}

// --- Score ---

framework::Verdict DynamicResources::Score(const framework::Cycle& cycle,
                                           const model::NodeMask& nodes,
                                           std::span<int64_t> out) const {
  const bool zero = AllScoresAreZero(cycle);
  nodes.ForEach([&](size_t row) {
    out[row] = 0;
    if (zero) return;
    const auto& state = cycle.state<FilterState>(*this);
    const NodeOutcome& outcome =
        state.outcomes->For(cycle.cluster(), model::NodeRow{static_cast<uint32_t>(row)});
    if (outcome.kind == NodeOutcome::Kind::kAllocated) out[row] = state.score + outcome.score;
  });
  return {};
}

// The scores of claims that are allocated count only where others are allocated now.
bool DynamicResources::AllScoresAreZero(const framework::Cycle& cycle) const {
  if (!cycle.cluster().features().dra_prioritized_list || !cycle.has_state(*this)) return true;
  const auto& state = cycle.state<FilterState>(*this);
  return state.outcomes == nullptr || (state.score == 0 && !state.outcomes->has_scores());
}

framework::Described DynamicResources::DescribeScore(const framework::Cycle& cycle, int32_t,
                                                     framework::SearchRules&) const {
  return AllScoresAreZero(cycle) ? framework::Described::kYes : framework::Described::kNo;
}

// --- Reserve ---

framework::Verdict DynamicResources::Reserve(framework::Cycle& cycle, model::NodeRow node) const {
  if (!cycle.has_state(*this)) return {};
  auto& state = cycle.state<FilterState>(*this);
  if (state.outcomes == nullptr) return {};
  const NodeOutcome& outcome = state.outcomes->For(cycle.cluster(), node);
  if (outcome.kind == NodeOutcome::Kind::kNothing) return {};
  if (outcome.kind != NodeOutcome::Kind::kAllocated)
    return framework::Verdict::Error("claim allocation not found for node");
  // The outcome belongs to the cluster as it is before the claims are in flight.
  std::vector<model::ClaimRef> reserved;
  size_t next = 0;
  for (PodClaim& claim : state.pod->claims) {
    if (claim.object->status.allocation) continue;
    auto copy = std::make_shared<api::ResourceClaim>(*claim.object);
    const size_t index = next++;
    if (claim.special) {
      copy->spec = *outcome.special->spec;
      copy->text = {};
      claim.object = std::make_shared<api::ResourceClaim>(*copy);
      state.pod->mappings = outcome.special->mappings;
    }
    const devices::CompiledClaim& compiled =
        claim.special ? *outcome.special->compiled : *state.outcomes->input().claims[index];
    copy->status.allocation =
        devices::MakeAllocation(*outcome.pools, outcome.found, index, compiled, copy->spec,
                                cycle.nodes().name(node), cycle.cluster().devices().gates(),
                                [&](size_t result) { return MakeShareId(*claim.object, result); });
    claim.allocation = {copy, &*copy->status.allocation};
    auto& finalizers = copy->metadata.finalizers;
    if (std::ranges::find(finalizers, kClaimFinalizer) == finalizers.end())
      finalizers.emplace_back(kClaimFinalizer);
    reserved.push_back(std::move(copy));
  }
  for (const model::ClaimRef& claim : reserved)
    cycle.mutable_cluster().mutable_devices().AddInFlight(claim,
                                                          model::GroupNamedBy(*cycle.pod().object));
  return {};
}

void DynamicResources::Unreserve(framework::Cycle& cycle, model::NodeRow) const {
  if (cycle.has_state(*this)) UnreserveClaims(cycle, *cycle.state<FilterState>(*this).pod);
}

framework::PreBindPlan DynamicResources::PreBindPreFlight(const framework::Cycle& cycle,
                                                          model::NodeRow) const {
  const bool has_claims =
      cycle.has_state(*this) && !cycle.state<FilterState>(*this).pod->claims.empty();
  return {has_claims ? framework::Verdict() : framework::Verdict::Skip(),
          /*may_run_in_parallel=*/true};
}

Task<framework::Verdict> DynamicResources::PreBind(framework::BindingContext& binding) const {
  if (PreBindPreFlight(binding.cycle(), binding.node()).verdict.skipped())
    co_return framework::Verdict();
  PodClaims& pod = *binding.cycle().state<FilterState>(*this).pod;
  co_return co_await BindClaims(binding, pod, binding_timeout_);
}

}  // namespace berth::scheduler::plugins
