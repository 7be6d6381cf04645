#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/selector.h"
#include "scheduler/reference/devices/allocated_devices.h"
#include "scheduler/reference/devices/device_allocation.h"
#include "scheduler/reference/devices/device_features.h"
#include "scheduler/reference/devices/extended_resources.h"
#include "scheduler/reference/devices/node_devices.h"
#include "scheduler/reference/devices/pod_claims.h"
#include "scheduler/reference/filter_and_score.h"
#include "scheduler/reference/pod_requests.h"
#include "scheduler/reference/rules.h"

namespace berth::scheduler::reference {
namespace {

using framework::Verdict;

// The best score of an alternative: one per place in `firstAvailable`, which may have 8.
constexpr int64_t kMaxAlternatives = 8;

// A claim of the pod.
struct PodClaim {
  const api::ResourceClaim* claim = nullptr;
  bool special = false;  // The one for extended resources.
  // Of the nodes where the allocation of the claim can be used, if it has one.
  std::optional<api::CompiledNodeSelector> nodes = {};

  bool allocated() const { return claim->status.allocation.has_value(); }
};

// DynamicResources rejects nodes where the devices that the pod's claims request cannot be
// allocated, or where devices that they have already cannot be used.
class DynamicResources final : public Rule {
 public:
  explicit DynamicResources(const EvaluationInput& input)
      : Rule(input),
        now_(input.now),
        features_(input.profile.features),
        classes_(ClassesByResource(input.snapshot, features_)) {}

  PreFilterOutcome PreFilter() override {
    std::vector<PodClaim> claims;
    const auto user_claims = ClaimsOf(snapshot_, pod_);
    if (!user_claims) return {Unresolvable(user_claims.error().message)};
    for (const api::ResourceClaim* claim : *user_claims) claims.push_back({.claim = claim});
    if (FindExtendedResources()) claims.push_back({.claim = SpecialClaim(), .special = true});
    if (claims.empty()) return {Verdict::Skip()};
    for (PodClaim& claim : claims) {
      if (Verdict verdict = Check(claim); !verdict.ok()) return {std::move(verdict)};
    }
    must_allocate_ = std::ranges::any_of(claims, [](const auto& c) { return !c.allocated(); });
    if (must_allocate_) allocated_ = GatherAllocatedDevices(snapshot_, features_);
    claims_ = std::move(claims);
    return {};
  }

  Verdict Filter(const NodeState& node_state) const override {
    if (claims_.empty()) return {};
    const api::Node& node = node_state.node();
    std::optional<api::ResourceClaim> special;  // The one for this node.
    if (claims_.back().special) {
      if (!claims_.back().claim->spec.requests.empty())
        return Unresolvable("cannot schedule extended resource claim");
      auto by_devices = ResourcesByDevices(node);
      if (!by_devices) return Unresolvable("cannot fit resource");
      const bool needed = !by_devices->empty() && !claims_.back().allocated();
      if (!needed && claims_.size() == 1) return {};
      special = *claims_.back().claim;
      special->spec.requests = RequestsOfSpecialClaim(pod_, *by_devices, classes_);
    }
    const std::set<size_t> unavailable = UnavailableOn(node);
    std::vector<ClaimAllocation> allocations;
    if (must_allocate_) {
      Verdict verdict = Allocate(node, special ? &*special : nullptr, allocations);
      // Hides claims that are not available.
      if (!verdict.ok()) return verdict;
    }
    if (!unavailable.empty()) {
      unavailable_.insert(unavailable.begin(), unavailable.end());
      return Unresolvable("resourceclaim not available on the node");
    }
    if (must_allocate_) allocations_[node.metadata.name] = std::move(allocations);
    return {};
  }

  Verdict PostFilter() const override {
    if (claims_.empty()) return Unschedulable("no new claims to deallocate");
    for (size_t i : unavailable_) {
      if (!claims_[i].special && IsUsedByPodAtMost(*claims_[i].claim))
        return Unschedulable("deallocation of ResourceClaim completed");
    }
    const PodClaim& last = claims_.back();
    if (last.special && last.claim->metadata.name != kSpecialClaimName)
      return Unschedulable("deletion of ResourceClaim completed");
    return Unschedulable("still not schedulable");
  }

  // Prefers nodes where requests get an early alternative.
  int64_t Score(const api::Node& node) const override {
    const auto found = allocations_.find(node.metadata.name);
    if (!features_.dra_prioritized_list || found == allocations_.end()) return 0;
    int64_t score = 0;
    auto next = found->second.begin();
    for (const PodClaim& claim : claims_) {
      const api::AllocationResult& allocation =
          claim.allocated() ? *claim.claim->status.allocation : (next++)->allocation;
      for (const api::DeviceRequest& request : claim.claim->spec.requests)
        score += ScoreOf(request, allocation);
    }
    return score;
  }

  void Normalize(Scores& scores) const override { DefaultNormalize(scores, false); }

  std::vector<ClaimAllocation> AllocationsOn(const std::string& node) const override {
    const auto found = allocations_.find(node);
    return found == allocations_.end() ? std::vector<ClaimAllocation>{} : found->second;
  }

  bool gave_up() const override { return gave_up_; }

 private:
  // Finds the extended resources that the pod requests; returns false if none is backed by a class.
  bool FindExtendedResources() {
    bool any = false;
    for (const auto& [name, quantity] : RequestsOf(pod_, {})) {
      if (quantity.IsZero() || !MayBeBackedByClass(name)) continue;
      extended_resources_.insert(name);
      if (classes_.contains(name)) any = true;
    }
    return any;
  }

  const api::ResourceClaim* SpecialClaim() {
    if (const auto* found = FindSpecialClaim(snapshot_, pod_)) return found;
    new_special_claim_ = MakeSpecialClaim(pod_);
    return &new_special_claim_;
  }

  Verdict Check(PodClaim& claim) const {
    const api::ResourceClaim& object = *claim.claim;
    if (claim.allocated()) {
      const auto& selector = object.status.allocation->node_selector;
      if (!selector) return {};
      auto compiled = api::CompiledNodeSelector::Make(*selector);
      if (!compiled) return Verdict::Error(compiled.error().message);
      claim.nodes = *std::move(compiled);
      return {};
    }
    if (snapshot_.devices.in_flight.contains(object.metadata.uid)) {
      return Unresolvable(
          fmt::format("resource claim {} is in the process of being allocated", NameOf(object)));
    }
    if (claim.special) return {};
    for (const api::DeviceRequest& request : object.spec.requests) {
      if (Verdict verdict = CheckClasses(object, request); !verdict.ok()) return verdict;
    }
    return {};
  }

  Verdict CheckClasses(const api::ResourceClaim& claim, const api::DeviceRequest& request) const {
    if (request.exactly) return CheckClass(request.exactly->device_class_name, request.name);
    const std::string prefix =
        fmt::format("resource claim {}, request {}: ", NameOf(claim), request.name);
    if (request.first_available.empty()) return Unresolvable(prefix + "unknown request type");
    if (!features_.dra_prioritized_list) {
      return Unresolvable(prefix +
                          "has subrequests, but the DRAPrioritizedList feature is disabled");
    }
    for (const api::DeviceSubRequest& alternative : request.first_available) {
      Verdict verdict =
          CheckClass(alternative.device_class_name, request.name + "/" + alternative.name);
      if (!verdict.ok()) return verdict;
    }
    return {};
  }

  Verdict CheckClass(const std::string& name, const std::string& request) const {
    if (name.empty())
      return Verdict::Error(fmt::format("request {}: unsupported request type", request));
    if (Find(snapshot_.device_classes, name) == nullptr) {
      return Unresolvable(fmt::format("request {}: device class {} does not exist", request, name));
    }
    return {};
  }

  // Returns the pod's extended resources that this node can offer only by devices; nullopt if it
  // does not have one of the others, either.
  std::optional<std::set<std::string>> ResourcesByDevices(const api::Node& node) const {
    std::set<std::string> by_devices;
    for (const std::string& name : extended_resources_) {
      const auto offered = node.status.allocatable.find(name);
      const bool listed = offered != node.status.allocatable.end();
      if (classes_.contains(name) && (!listed || offered->second.IsZero())) {
        by_devices.insert(name);
      } else if (!listed) {
        return std::nullopt;
      }
    }
    return by_devices;
  }

  // Returns the places of the allocated claims that the pod could not use on the node.
  std::set<size_t> UnavailableOn(const api::Node& node) const {
    std::set<size_t> unavailable;
    for (size_t i = 0; i < claims_.size(); ++i) {
      const PodClaim& claim = claims_[i];
      const bool elsewhere =
          claim.nodes && !claim.nodes->Matches(node.metadata.labels, node.metadata.name);
      const bool failed = claim.allocated() && UsesBindingConditions(features_) &&
                          HasFailedToBind(*claim.claim,
                                          profile_.dynamic_resources.binding_timeout.value_or(
                                              framework::kDefaultBindingTimeout),
                                          now_);
      if (elsewhere || failed) unavailable.insert(i);
    }
    return unavailable;
  }

  // Allocates the claims that have no devices yet. `special` replaces the special claim.
  Verdict Allocate(const api::Node& node, const api::ResourceClaim* special,
                   std::vector<ClaimAllocation>& allocations) const {
    std::vector<const api::ResourceClaim*> claims;
    for (const PodClaim& claim : claims_) {
      if (!claim.allocated()) claims.push_back(claim.special ? special : claim.claim);
    }
    AllocationOutcome outcome = AllocateDevices(snapshot_, node, features_, allocated_, claims);
    switch (outcome.kind) {
      case AllocationOutcome::Kind::kAllocated:
        break;
      case AllocationOutcome::Kind::kNone:
        return Unresolvable("cannot allocate all claims");
      case AllocationOutcome::Kind::kInvalidPools:
        return Unresolvable("invalid resource pools were encountered");
      case AllocationOutcome::Kind::kError:
        return Verdict::Error(outcome.error);
      case AllocationOutcome::Kind::kGaveUp:
        gave_up_ = true;
        return Verdict::Error(
            fmt::format("node {}: timed out trying to allocate devices", node.metadata.name));
    }
    for (size_t i = 0; i < claims.size(); ++i)
      allocations.push_back({claims[i]->metadata.name, std::move(outcome.results[i])});
    return {};
  }

  bool IsUsedByPodAtMost(const api::ResourceClaim& claim) const {
    const auto& users = claim.status.reserved_for;
    return users.empty() || (users.size() == 1 && users[0].uid == pod_.metadata.uid);
  }

  static int64_t ScoreOf(const api::DeviceRequest& request,
                         const api::AllocationResult& allocation) {
    if (request.exactly) return 0;
    int64_t score = 0;
    for (size_t i = 0; i < request.first_available.size(); ++i) {
      const std::string name = request.name + "/" + request.first_available[i].name;
      const bool chosen = std::ranges::any_of(
          allocation.results, [&](const auto& result) { return result.request == name; });
      if (chosen) score += kMaxAlternatives - static_cast<int64_t>(i);
    }
    return score;
  }

  const Instant now_;
  const model::Features features_;
  const ClassByResource classes_;
  std::set<std::string> extended_resources_;  // Of the pod, by names that classes may have.
  api::ResourceClaim new_special_claim_;
  std::vector<PodClaim> claims_;  // The special claim is the last one.
  bool must_allocate_ = false;
  AllocatedDevices allocated_;
  // Filter notes these for PostFilter and Score, as in kube-scheduler.
  mutable std::set<size_t> unavailable_;
  mutable std::map<std::string, std::vector<ClaimAllocation>> allocations_;  // By node.
  mutable bool gave_up_ = false;
};

}  // namespace

std::unique_ptr<Rule> MakeDynamicResources(const EvaluationInput& input) {
  return std::make_unique<DynamicResources>(input);
}

}  // namespace berth::scheduler::reference
