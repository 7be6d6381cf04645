#include "scheduler/reference/devices/device_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/reference/devices/device_capacity.h"

namespace berth::scheduler::reference {
namespace {

bool ToleratesDeviceTaint(const api::DeviceToleration& toleration, const api::DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

bool HasUntoleratedDeviceTaint(const api::Device& device, const api::DeviceSubRequest& request) {
  return std::ranges::any_of(device.taints, [&](const api::DeviceTaint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return false;
    return std::ranges::none_of(request.tolerations, [&](const auto& toleration) {
      return ToleratesDeviceTaint(toleration, taint);
    });
  });
}

}  // namespace

DeviceSearch::DeviceSearch(NodeDevices& devices, const std::vector<ClaimRequests>& claims)
    : devices_(devices), claims_(claims) {
  for (const ClaimRequests& claim : claims) {
    auto& constraints = constraints_.emplace_back();
    for (const auto& constraint : claim.claim->spec.constraints)
      constraints.emplace_back(constraint);
  }
}

DeviceSearch::Outcome DeviceSearch::Run() {
  PickedDevices nothing;
  nothing.by_claim.resize(claims_.size());
  nothing.alternatives.resize(claims_.size());
  return Search({}, nothing);
}

DeviceSearch::Outcome DeviceSearch::Search(const Place& place, const PickedDevices& picked) {
  if (++tries_ > kMaxTries || depth_ >= kMaxDepth) return Outcome::kGaveUp;
  ++depth_;
  const Outcome outcome = SearchFrom(place, picked);
  --depth_;
  return outcome;
}

DeviceSearch::Outcome DeviceSearch::SearchFrom(const Place& place, const PickedDevices& picked) {
  if (place.claim == claims_.size()) {
    solution_ = picked;
    return Outcome::kSolved;
  }
  const ClaimRequests& claim = claims_[place.claim];
  if (place.request == claim.requests.size()) {
    const Outcome outcome = Search({.claim = place.claim + 1}, picked);
    // Other devices for this claim may leave the next one an alternative with fewer.
    return outcome == Outcome::kExceeded ? Outcome::kNone : outcome;
  }
  if (place.wanted == nullptr) return TryAlternatives(place, picked);
  const Alternative& wanted = *place.wanted;
  if (wanted.all && wanted.all_devices.empty()) return Outcome::kNone;
  if (place.picked >= wanted.need)
    return Search({.claim = place.claim, .request = place.request + 1}, picked);
  const int64_t has = std::ssize(picked.by_claim[place.claim]);
  if (has + wanted.need - place.picked > kMaxDevicesPerClaim) return Outcome::kExceeded;
  return wanted.all ? TryAllDevices(place, picked) : TryCandidates(place, picked);
}

DeviceSearch::Outcome DeviceSearch::TryAlternatives(const Place& place,
                                                    const PickedDevices& picked) {
  const ClaimRequests::Request& request = claims_[place.claim].requests[place.request];
  bool all_exceeded = true;
  for (const Alternative& alternative : request.alternatives) {
    PickedDevices with = picked;
    with.alternatives[place.claim].push_back(&alternative);
    const Outcome outcome =
        Search({.claim = place.claim, .request = place.request, .wanted = &alternative}, with);
    if (outcome != Outcome::kNone && outcome != Outcome::kExceeded) return outcome;
    if (outcome != Outcome::kExceeded) all_exceeded = false;
  }
  return all_exceeded ? Outcome::kExceeded : Outcome::kNone;
}

DeviceSearch::Outcome DeviceSearch::TryAllDevices(const Place& place, const PickedDevices& picked) {
  Place next = place;
  ++next.picked;
  return Pick(next, place.wanted->all_devices[static_cast<size_t>(place.picked)], picked, true);
}

DeviceSearch::Outcome DeviceSearch::TryCandidates(const Place& place, const PickedDevices& picked) {
  for (size_t i = place.start; i < devices_.candidates().size(); ++i) {
    if (++tries_ > kMaxTries) return Outcome::kGaveUp;
    const DeviceCandidate& candidate = devices_.candidates()[i];
    // Devices in use are not evaluated, so that their expressions cannot fail.
    if (IsInUse(place, candidate.id(), picked)) continue;
    const auto selectable = devices_.IsSelectable(*place.wanted, candidate);
    if (!selectable) {
      error_ = selectable.error().message;
      return Outcome::kFailed;
    }
    if (!*selectable || !FitsCapacityNow(*place.wanted, candidate, picked)) continue;
    Place next = place;
    ++next.picked;
    next.start = i + 1;
    const Outcome outcome = Pick(next, candidate, picked, false);
    if (outcome != Outcome::kNone) return outcome;
  }
  return Outcome::kNone;
}

DeviceSearch::Outcome DeviceSearch::Pick(const Place& next, const DeviceCandidate& candidate,
                                         const PickedDevices& picked, bool must) {
  const Alternative& wanted = *next.wanted;
  const api::Device& device = *candidate.device;
  const DeviceId id = candidate.id();
  if (IsInUse(next, id, picked)) return Outcome::kNone;
  PickedDevices with = picked;
  if (!TakeCounters(candidate, with)) return Outcome::kNone;
  if (devices_.features().dra_device_taints && HasUntoleratedDeviceTaint(device, *wanted.wanted))
    return Outcome::kNone;

  const ConstrainedDevice constrained{candidate.pool->driver, device, wanted.request,
                                      wanted.alternative};
  std::vector<ConstraintState>& constraints = constraints_[next.claim];
  size_t satisfied = 0;
  while (satisfied < constraints.size() && constraints[satisfied].Add(constrained)) ++satisfied;
  const auto put_back = [&] {
    for (size_t i = 0; i < satisfied; ++i) constraints[i].Remove(constrained);
  };
  if (satisfied < constraints.size()) {
    put_back();
    if (!must) return Outcome::kNone;
    error_ = fmt::format(
        "claim {}, request {}: cannot add device {} because a claim constraint would not be "
        "satisfied",
        NameOf(*wanted.claim), wanted.OwnName(), id.ToString());
    return Outcome::kFailed;
  }
  if (!FitsCapacityNow(wanted, candidate, picked)) {
    put_back();
    return Outcome::kNone;
  }

  PickedDevice result{.wanted = &wanted, .candidate = candidate, .shared = IsShareable(device)};
  if (result.shared) {
    result.consumed_capacity = ConsumedCapacity(device, *wanted.wanted);
    AddQuantities(with.capacity[id], result.consumed_capacity);
  } else {
    with.exclusive[id].insert(next.claim);
  }
  with.by_claim[next.claim].push_back(std::move(result));
  const Outcome outcome = Search(next, with);
  if (outcome != Outcome::kSolved) put_back();
  return outcome;
}

bool DeviceSearch::IsInUse(const Place& place, const DeviceId& id,
                           const PickedDevices& picked) const {
  const auto found = picked.exclusive.find(id);
  if (place.wanted->admin_access())
    return found != picked.exclusive.end() && found->second.contains(place.claim);
  return found != picked.exclusive.end() || devices_.allocated().exclusive.contains(id);
}

bool DeviceSearch::IsShareable(const api::Device& device) const {
  return devices_.features().dra_consumable_capacity &&
         device.allow_multiple_allocations.value_or(false);
}

bool DeviceSearch::FitsCapacityNow(const Alternative& wanted, const DeviceCandidate& candidate,
                                   const PickedDevices& picked) const {
  if (!devices_.features().dra_consumable_capacity) return true;
  api::QuantityMap in_use;
  for (const auto* sums : {&devices_.allocated().capacity, &picked.capacity}) {
    if (const auto found = sums->find(candidate.id()); found != sums->end())
      AddQuantities(in_use, found->second);
  }
  return FitsCapacity(*candidate.device, *wanted.wanted, in_use);
}

bool DeviceSearch::TakeCounters(const DeviceCandidate& candidate, PickedDevices& picked) const {
  const api::Device& device = *candidate.device;
  if (device.consumes_counters.empty()) return true;
  if (!devices_.features().dra_partitionable_devices) return false;
  // The first share pays for all.
  const DeviceId id = candidate.id();
  if (IsShareable(device) &&
      (devices_.allocated().capacity.contains(id) || picked.capacity.contains(id))) {
    return true;
  }
  NodeDevices::CounterValues& consumed = picked.counters[candidate.pool];
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    for (const auto& [name, counter] : consumption.counters)
      consumed[consumption.counter_set][name] += counter.value;
  }
  // As in kube-scheduler, all counters of the pool must suffice, not only those of this device.
  for (const auto& [set, counters] : devices_.AvailableCounters(*candidate.pool)) {
    for (const auto& [name, available] : counters) {
      if (available < consumed[set][name]) return false;
    }
  }
  return true;
}

}  // namespace berth::scheduler::reference
