// The checks of Search on one candidate.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/devices/capacity.h"
#include "scheduler/devices/known_flags.h"
#include "scheduler/devices/search.h"

namespace berth::scheduler::devices {

bool Search::IsInUse(uint32_t claim, bool admin, uint32_t index) const {
  if (!admin)
    return marks_[index] > 0 || input_.allocated.IsExclusive(candidate(index).device().id);
  if (marks_[index] == 0) return false;
  // Those of the claim are the last picks: later claims have none yet.
  for (auto pick = picks_.rbegin(); pick != picks_.rend() && pick->claim >= claim; ++pick) {
    if (pick->claim == claim && pick->candidate == index) return true;
  }
  return false;
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
    too_costly_ |= evaluated.outcome == Selector::Outcome::kTooCostly;
    if (!Spend(evaluated.work) || too_costly_) return std::nullopt;
    if (evaluated.outcome == Selector::Outcome::kNo) return false;
    if (evaluated.outcome == Selector::Outcome::kYes) continue;
    return fail(i, selectors[i]->ErrorFor(device.value()));
  }
  return true;
}

std::optional<bool> Search::IsSelectable(size_t claim, Wanted& wanted, uint32_t index) {
  if (wanted.known.empty()) {
    wanted.known.resize(marks_.size());
    Spend(marks_.size() / 64);
  }
  uint8_t& known = wanted.known[index];
  if ((known & kSelectionKnown) != 0) return (known & kSelected) != 0;
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
  if (result)
    known |= static_cast<uint8_t>(*result ? kSelectionKnown | kSelected : kSelectionKnown);
  return result;
}

bool Search::IsTainted(Wanted& wanted, uint32_t index) {
  const api::Device& device = *candidate(index).device().object;
  if (!input_.gates.device_taints || device.taints.empty()) return false;
  uint8_t& known = wanted.known[index];
  if ((known & kTaintsKnown) == 0) {
    Spend(device.taints.size() * (1 + wanted.compiled->request->tolerations.size()));
    const bool tainted = HasUntoleratedTaint(device, *wanted.compiled->request);
    known |= static_cast<uint8_t>(tainted ? kTaintsKnown | kTainted : kTaintsKnown);
  }
  return (known & kTainted) != 0;
}

// Of a candidate that was checked to be selectable.
bool Search::HasCapacity(Wanted& wanted, uint32_t index) {
  if (!input_.gates.consumable_capacity) return true;
  const Device& device = candidate(index).device();
  if (device.always_has_capacity && !wanted.compiled->request->capacity_requests &&
      !input_.allocated.HasCapacityEntry(device.id)) {
    return true;
  }
  uint8_t& known = wanted.known[index];
  if (!wanted.revisions.empty()) {
    const uint64_t revision = input_.allocated.revision(candidate(index).pool->id);
    if (std::exchange(wanted.revisions[index], revision) != revision)
      known &= static_cast<uint8_t>(~(kCapacityKnown | kFits));
  }
  if ((known & kCapacityKnown) == 0) {
    Spend(1 + 16 * device.object->capacity.size());
    const bool fits = HasCapacityAlone(wanted, device);
    known |= static_cast<uint8_t>(fits ? kCapacityKnown | kFits : kCapacityKnown);
  }
  if ((known & kFits) == 0) return false;
  if (!device.shareable || !shares_.Has(index)) return true;
  Spend(4 * device.object->capacity.size());
  return shares_.Fits(index, device, wanted.amounts);
}

bool Search::HasCapacityAlone(const Wanted& wanted, const Device& device) const {
  const auto& requests = wanted.compiled->request->capacity_requests;
  if (!HasCapacities(requests, *device.object)) return false;
  for (const auto& [name, capacity] : device.object->capacity) {
    api::Quantity sum = ConsumedCapacity(RequestedCapacity(requests, name), capacity);
    if (ViolatesPolicy(sum, capacity)) return false;
    input_.allocated.AddConsumed(device.id, name, sum);
    if (sum > capacity.value) return false;
  }
  return true;
}

bool Search::Allocate(const Frame& frame, uint32_t index, bool must) {
  Wanted& wanted = wanted_of(frame);
  const NodePools::Candidate& chosen = candidate(index);
  const Device& device = chosen.device();
  const bool admin = wanted.compiled->admin_access;
  if ((!admin || !device.shareable) && IsInUse(frame.claim, admin, index)) return false;
  if (!input_.gates.partitionable_devices && !device.object->consumes_counters.empty())
    return false;
  const bool already_shared =
      device.shareable && (input_.allocated.HasCapacityEntry(device.id) || shares_.Has(index));
  const bool takes_counters = !already_shared && !device.object->consumes_counters.empty();
  if (takes_counters && !TakeCounters(index)) return false;
  const bool usable = !IsTainted(wanted, index);
  if (!usable || !AddConstraints(frame, index)) {
    if (takes_counters) GiveBackCounters(index);
    if (usable && must) {
      result_.error = {frame.claim,
                       fmt::format(", request {}: cannot add device {}/{}/{} because a claim "
                                   "constraint would not be satisfied",
                                   wanted.compiled->own_name, chosen.pool->driver,
                                   chosen.pool->name, device.object->name)};
    }
    return false;
  }
  if (must && !HasCapacity(wanted, index)) {
    RemoveConstraints(frame, claim_of(frame).constraints.size());
    if (takes_counters) GiveBackCounters(index);
    return false;
  }
  if (device.shareable) {
    Spend(16 * device.object->capacity.size());
    shares_.Add(index, device, wanted.amounts);
  } else {
    ++marks_[index];
  }
  picks_.push_back({frame.claim, frame.request, frame.alternative, index});
  took_counters_.push_back(takes_counters);
  ++claim_of(frame).picked;
  return true;
}

bool Search::AddConstraints(const Frame& frame, uint32_t index) {
  std::vector<ConstraintState>& constraints = claim_of(frame).constraints;
  if (constraints.empty()) return true;
  Spend(constraints.size());
  const Device& device = candidate(index).device();
  for (size_t i = 0; i < constraints.size(); ++i) {
    ConstraintState& constraint = constraints[i];
    if (!constraint.AppliesTo(frame.request, frame.alternative)) continue;
    const uint32_t value = values_[constraint.values()].Of(index, device);
    if (constraint.Add(frame.request, value)) continue;
    RemoveConstraints(frame, i);
    return false;
  }
  return true;
}

void Search::RemoveConstraints(const Frame& frame, size_t number) {
  std::vector<ConstraintState>& constraints = claim_of(frame).constraints;
  while (number > 0) {
    ConstraintState& constraint = constraints[--number];
    if (constraint.AppliesTo(frame.request, frame.alternative)) constraint.Remove(frame.request);
  }
}

void Search::Deallocate(const Frame& frame) {
  const uint32_t index = picks_.back().candidate;
  picks_.pop_back();
  --claim_of(frame).picked;
  if (candidate(index).device().shareable) {
    shares_.RemoveLast(index);
  } else {
    --marks_[index];
  }
  RemoveConstraints(frame, claim_of(frame).constraints.size());
  if (took_counters_.back()) GiveBackCounters(index);
  took_counters_.pop_back();
}

Search::TakenCounters& Search::TakenOf(const Pool& pool) {
  const auto [place, is_new] = counters_.try_emplace(&pool);
  if (is_new) {
    Spend(pool.counters.size() / 4);
    place->second.rest =
        pool.counters.Available(input_.allocated, input_.allocated.revision(pool.id));
    place->second.taken.resize(pool.counters.size());
  }
  return place->second;
}

// As in kube-scheduler, one counter of the pool that is overdrawn blocks all devices with counters.
// What picks take never overdraws one, so that only those of the device can.
bool Search::TakeCounters(uint32_t index) {
  const NodePools::Candidate& chosen = candidate(index);
  const CounterUses& uses = chosen.member->counters;
  Spend(uses.size());
  const auto& sets = chosen.device().object->consumes_counters;
  if (sets.size() == 1 && !counters_.contains(chosen.pool)) {
    // Nothing is picked: most pools of a full cluster end here. Each counter is drawn on once.
    const auto rest = chosen.pool->counters.Available(input_.allocated,
                                                      input_.allocated.revision(chosen.pool->id));
    if (rest.overdrawn) return false;
    for (const CounterUse& use : uses) {
      if (use.amount > rest.counters[use.counter]) return false;
    }
  }
  TakenCounters& counters = TakenOf(*chosen.pool);
  if (counters.rest.overdrawn) return false;
  bool fits = true;
  for (const CounterUse& use : uses) counters.taken[use.counter] += use.amount;
  for (const CounterUse& use : uses)
    fits = fits && counters.taken[use.counter] <= counters.rest.counters[use.counter];
  if (!fits) GiveBackCounters(index);
  return fits;
}

void Search::GiveBackCounters(uint32_t index) {
  const NodePools::Candidate& chosen = candidate(index);
  std::vector<api::Quantity>& taken = TakenOf(*chosen.pool).taken;
  for (const CounterUse& use : chosen.member->counters) taken[use.counter] -= use.amount;
}

}  // namespace berth::scheduler::devices
