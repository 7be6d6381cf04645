// The checks of Search on one candidate, and what it need not try.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/devices/capacity.h"
#include "scheduler/devices/search.h"

namespace berth::scheduler::devices {
namespace {

// What is known of a candidate.
constexpr uint8_t kUnknown = 0, kNotSelectable = 1, kSelectable = 2;
// Units of CEL cost that take as long as a step.
constexpr uint64_t kCostOfStep = 8;

}  // namespace

// --- one candidate ---

bool Search::IsInUse(uint32_t claim, bool admin, uint32_t index) const {
  if (!admin)
    return marks_[index] > 0 || input_.allocated.IsExclusive(candidate(index).device().id);
  return marks_[index] > 0 && std::ranges::any_of(picks_, [&](const Pick& pick) {
           return pick.claim == claim && pick.candidate == index;
         });
}

std::optional<bool> Search::SelectorsMatch(const std::vector<std::shared_ptr<Selector>>& selectors,
                                           const Device& device, std::optional<size_t> claim,
                                           const api::DeviceClass* device_class) {
  auto fail = [&](size_t selector, std::string_view problem) -> std::optional<bool> {
    const std::string place = device_class == nullptr ? "" : "class " + device_class->metadata.name;
    result_.error = {claim, fmt::format("{}: selector #{}: {}", place, selector, problem)};
    return std::nullopt;
  };
  for (size_t i = 0; i < selectors.size(); ++i) {
    // DIFFERS: kube-scheduler crashes.
    if (selectors[i] == nullptr)
      return fail(i, "CEL expression empty (unsupported selector type?)");
    const auto evaluated = selectors[i]->Evaluate({device.look->slot(), device.value()});
    if (!SpendSteps(1 + evaluated.cost / kCostOfStep)) return std::nullopt;
    if (evaluated.outcome == Selector::Outcome::kNo) return false;
    if (evaluated.outcome == Selector::Outcome::kYes) continue;
    return fail(i, selectors[i]->ErrorFor(device.value()));
  }
  return true;
}

// Returns nothing if a selector failed, or too many steps were taken.
std::optional<bool> Search::IsSelectable(size_t claim, Wanted& wanted, uint32_t index) {
  if (wanted.selectable.empty()) wanted.selectable.resize(marks_.size());
  uint8_t& known = wanted.selectable[index];
  if (known != kUnknown) return known == kSelectable;
  const Device& device = candidate(index).device();
  auto is_selectable = [&]() -> std::optional<bool> {
    if (!input_.gates.binding_conditions && device.object->binding_conditions &&
        !device.object->binding_conditions->empty()) {
      return false;
    }
    const CompiledAlternative& compiled = *wanted.compiled;
    std::optional<bool> matches =
        SelectorsMatch(compiled.class_selectors, device, std::nullopt, compiled.device_class.get());
    if (matches == true) matches = SelectorsMatch(compiled.selectors, device, claim, nullptr);
    if (matches != true || !device.nodes) return matches;
    const auto node_matches = device.nodes->Matches(input_.node);
    if (node_matches) return *node_matches;
    result_.error = {std::nullopt, node_matches.error().message};
    return std::nullopt;
  };
  const std::optional<bool> result = is_selectable();
  if (result) known = *result ? kSelectable : kNotSelectable;
  return result;
}

bool Search::HasCapacity(const Wanted& wanted, uint32_t index) const {
  if (!input_.gates.consumable_capacity) return true;
  const Device& device = candidate(index).device();
  const auto& requests = wanted.compiled->request->capacity_requests;
  if (!requests && device.always_has_capacity && !input_.allocated.HasCapacityEntry(device.id))
    return true;
  if (!HasCapacities(requests, *device.object)) return false;
  const auto shares = shares_.find(index);
  for (const auto& [name, capacity] : device.object->capacity) {
    api::Quantity sum = ConsumedCapacity(RequestedCapacity(requests, name), capacity);
    if (ViolatesPolicy(sum, capacity)) return false;
    input_.allocated.AddConsumed(device.id, name, sum);
    if (shares != shares_.end()) {
      for (const api::QuantityMap& share : shares->second) {
        if (const auto found = share.find(name); found != share.end()) sum += found->second;
      }
    }
    if (sum > capacity.value) return false;
  }
  return true;
}

bool Search::Allocate(const Frame& frame, uint32_t index, bool must) {
  Claim& claim = claims_[frame.claim];
  Wanted& wanted = claim.requests[frame.request].alternatives[frame.alternative];
  const NodePools::Candidate& chosen = candidate(index);
  const Device& device = chosen.device();
  const bool admin = wanted.compiled->admin_access;
  if ((!admin || !device.shareable) && IsInUse(frame.claim, admin, index)) return false;
  if (!input_.gates.partitionable_devices && !device.object->consumes_counters.empty())
    return false;
  const bool already_shared =
      device.shareable && (input_.allocated.HasCapacityEntry(device.id) || shares_.contains(index));
  const bool takes_counters = !already_shared && !device.object->consumes_counters.empty();
  if (takes_counters && !TakeCounters(index)) {
    wanted.depends_on_more = true;
    return false;
  }
  const bool usable = !(input_.gates.device_taints &&
                        HasUntoleratedTaint(*device.object, *wanted.compiled->request));
  if (!usable || !AddConstraints(frame, device)) {
    if (takes_counters) GiveBackCounters(index);
    wanted.depends_on_more |= usable;
    if (usable && must) {
      result_.error = {frame.claim,
                       fmt::format(", request {}: cannot add device {}/{}/{} because a claim "
                                   "constraint would not be satisfied",
                                   wanted.compiled->own_name, chosen.pool->driver,
                                   chosen.pool->name, device.object->name)};
    }
    return false;
  }
  if (!HasCapacity(wanted, index)) {
    wanted.depends_on_more = true;
    RemoveConstraints(frame, claim.constraints.size());
    if (takes_counters) GiveBackCounters(index);
    return false;
  }
  if (device.shareable) {
    shares_[index].push_back(
        ConsumedCapacities(wanted.compiled->request->capacity_requests, *device.object));
  } else {
    ++marks_[index];
  }
  picks_.push_back({frame.claim, frame.request, frame.alternative, index});
  took_counters_.push_back(takes_counters);
  ++claim.picked;
  return true;
}

bool Search::AddConstraints(const Frame& frame, const Device& device) {
  std::vector<ConstraintState>& constraints = claims_[frame.claim].constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].Add(frame.request, frame.alternative, device)) continue;
    RemoveConstraints(frame, i);
    return false;
  }
  return true;
}

void Search::RemoveConstraints(const Frame& frame, size_t number) {
  std::vector<ConstraintState>& constraints = claims_[frame.claim].constraints;
  while (number > 0) constraints[--number].Remove(frame.request, frame.alternative);
}

void Search::Deallocate(const Frame& frame) {
  const uint32_t index = picks_.back().candidate;
  picks_.pop_back();
  --claims_[frame.claim].picked;
  if (candidate(index).device().shareable) {
    const auto shares = shares_.find(index);
    shares->second.pop_back();
    if (shares->second.empty()) shares_.erase(shares);
  } else {
    --marks_[index];
  }
  RemoveConstraints(frame, claims_[frame.claim].constraints.size());
  if (took_counters_.back()) GiveBackCounters(index);
  took_counters_.pop_back();
}

// As in kube-scheduler, all counters of the pool are checked, not only those that the device takes:
// one that is overdrawn blocks all devices with counters.
bool Search::TakeCounters(uint32_t index) {
  const NodePools::Candidate& chosen = candidate(index);
  const PoolCounters& counters = chosen.pool->counters;
  const auto available =
      counters.Available(input_.allocated, input_.allocated.revision(chosen.pool->id));
  std::vector<api::Quantity>& taken = counters_[chosen.pool];
  taken.resize(counters.size());
  for (const CounterUse& use : chosen.member->counters) taken[use.counter] += use.amount;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] <= available[i]) continue;
    GiveBackCounters(index);
    return false;
  }
  return true;
}

void Search::GiveBackCounters(uint32_t index) {
  const NodePools::Candidate& chosen = candidate(index);
  std::vector<api::Quantity>& taken = counters_[chosen.pool];
  for (const CounterUse& use : chosen.member->counters) taken[use.counter] -= use.amount;
}

// --- what need not be tried ---

bool Search::IsKnownNotToSelect(const Wanted& wanted, uint32_t index) {
  return !wanted.selectable.empty() && wanted.selectable[index] == kNotSelectable;
}

// Reports whether the request cannot be met for a reason that was found before.
bool Search::FailsAgain(const Wanted& wanted) {
  if (!wanted.impossible_without) return false;
  return std::ranges::all_of(*wanted.impossible_without, [&](uint32_t index) {
    return SpendSteps(1) && (marks_[index] > 0 || IsKnownNotToSelect(wanted, index));
  });
}

// The request cannot be met. If only devices that others use could change that, it fails again
// while they are in use. Selectors that were not evaluated for those may still fail, so they count
// unless it is known that they are not selected.
void Search::RememberFailure(Wanted& wanted) const {
  if (wanted.depends_on_more) return;
  std::erase_if(wanted.kept_by_picks,
                [&](uint32_t index) { return IsKnownNotToSelect(wanted, index); });
  wanted.impossible_without = wanted.kept_by_picks;
}

// Reports whether a candidate that is equivalent has failed in this frame. A solution with this one
// would be one with that one, too: exchange the two.
//
// Distinct attributes depend on the order of devices, so nothing is equivalent then.
bool Search::IsLikeFailed(const Frame& frame, uint32_t index) {
  if (failed_.size() <= frame.failed || IsTouched(index)) return false;
  const uint32_t kind = KindOf(index);
  return std::any_of(failed_.begin() + frame.failed, failed_.end(), [&](uint32_t other) {
    return KindOf(other) == kind && !IsTouched(other) && SpendSteps(1) &&
           AreSelectedAlike(frame, other, index);
  });
}

// Reports whether this run has picked the candidate, for any claim.
bool Search::IsTouched(uint32_t index) const {
  return marks_[index] > 0 || shares_.contains(index);
}

// Candidates of the same kind differ for selectors only.
uint32_t Search::KindOf(uint32_t index) {
  if (kind_of_.empty()) kind_of_.resize(marks_.size(), UINT32_MAX);
  uint32_t& kind = kind_of_[index];
  if (kind != UINT32_MAX) return kind;
  const auto found = std::ranges::find_if(kinds_, [&](uint32_t other) {
    SpendSteps(1);
    return AreOfOneKind(other, index);
  });
  kind = static_cast<uint32_t>(found - kinds_.begin());
  if (found == kinds_.end()) kinds_.push_back(index);
  return kind;
}

bool Search::AreOfOneKind(uint32_t a, uint32_t b) const {
  const NodePools::Candidate& first = candidate(a);
  const NodePools::Candidate& second = candidate(b);
  const api::Device& one = *first.device().object;
  const api::Device& other = *second.device().object;
  const AllocatedDevices& allocated = input_.allocated;
  if (first.pool != second.pool || first.device().shareable != second.device().shareable ||
      allocated.IsAllocated(first.device().id) || allocated.IsAllocated(second.device().id) ||
      one.taints != other.taints || one.capacity != other.capacity ||
      one.consumes_counters != other.consumes_counters) {
    return false;
  }
  return std::ranges::all_of(input_.claims, [&](const CompiledClaim* claim) {
    return std::ranges::all_of(claim->constraints, [&](const CompiledConstraint& constraint) {
      const auto* value = FindAttribute(first.device(), constraint);
      const auto* other_value = FindAttribute(second.device(), constraint);
      if (value == nullptr || other_value == nullptr) return value == other_value;
      return *value == *other_value;
    });
  });
}

// As far as the rest of the search is concerned: what is picked for earlier requests is given.
// Selectors that were not evaluated for either were not needed. Those evaluated for one alone may
// fail for the other.
bool Search::AreSelectedAlike(const Frame& frame, uint32_t a, uint32_t b) const {
  for (size_t i = frame.claim; i < claims_.size(); ++i) {
    const std::vector<Request>& requests = claims_[i].requests;
    for (size_t r = i == frame.claim ? frame.request : 0; r < requests.size(); ++r) {
      for (const Wanted& wanted : requests[r].alternatives) {
        if (!wanted.selectable.empty() && wanted.selectable[a] != wanted.selectable[b])
          return false;
      }
    }
  }
  return true;
}

}  // namespace berth::scheduler::devices
