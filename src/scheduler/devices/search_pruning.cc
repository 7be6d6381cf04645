#include "scheduler/devices/search_pruning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/saturating.h"
#include "scheduler/devices/capacity.h"
#include "scheduler/devices/key_bytes.h"
#include "scheduler/devices/known_flags.h"

namespace berth::scheduler::devices {

bool SearchPruning::Prepare() {
  const size_t candidates = search_.marks_.size();
  unique_.resize(candidates);
  ListRequests();
  last_user_.resize(candidates);
  users_.resize(candidates);
  failing_.resize(candidates);
  uses_.resize(candidates);
  loads_.resize(candidates);
  grouped_.resize(candidates);
  is_supply_.resize(candidates);
  needs_.resize(requests_.size());
  FindRanges();
  if (!Classify()) return false;
  FindCounters();
  FindGroups();
  FindKinds();
  FindLeastAmounts();
  return !search_.timed_out();
}

void SearchPruning::ListRequests() {
  for (uint32_t c = 0; c < search_.claims_.size(); ++c) {
    std::vector<uint32_t>& orders = orders_.emplace_back();
    for (uint32_t r = 0; r < search_.claims_[c].requests.size(); ++r) {
      const Search::Request& request = search_.claims_[c].requests[r];
      const auto order = static_cast<uint32_t>(requests_.size());
      orders.push_back(order);
      Request& listed = requests_.emplace_back();
      listed = {.claim = c, .request = r, .least = request.least};
      bool summed = true;
      for (const Search::Wanted& wanted : request.alternatives) {
        const bool all = wanted.compiled->all_devices;
        const bool admin = wanted.compiled->admin_access;
        listed.single = listed.single && !all && wanted.count <= 1;
        summed = summed && !all && !admin;
        has_admin_ |= admin;
        if (admin) admin_ |= Bit(order);
        if (!all || search_.claims_[c].constraints.empty()) continue;
        // Which of equal devices is in use decides whether that is an error.
        may_fail_ |= Bit(order);
        search_.Spend(wanted.all.size());
        for (uint32_t candidate : wanted.all) unique_[candidate] = true;
      }
      if (summed) summed_ |= Bit(order);
    }
  }
}

void SearchPruning::FindRanges() {
  for (uint32_t c = 0; c < search_.claims_.size(); ++c) {
    std::vector<Range>& ranges = ranges_.emplace_back();
    for (const ConstraintState& constraint : search_.claims_[c].constraints) {
      Range& range = ranges.emplace_back();
      for (uint32_t order : orders_[c]) {
        const auto& applies = constraint.constraint().applies[requests_[order].request];
        search_.Spend(applies.size());
        const auto number = std::ranges::count(applies, true);
        if (number > 0) range.end = order + 1;
        if (number == std::ssize(applies)) range.requests |= Bit(order);
        // What is compared with what depends on the order, and on what was tried before.
        ordered_ |= number > 0 && constraint.constraint().distinct && !requests_[order].single;
      }
    }
  }
}

// --- what may be picked for what ---

bool SearchPruning::Classify() {
  for (uint32_t order = 0; order < requests_.size(); ++order) {
    const Request& request = requests_[order];
    for (Search::Wanted& wanted :
         search_.claims_[request.claim].requests[request.request].alternatives) {
      if (!Classify(order, wanted)) return false;
    }
  }
  // A device without the attribute satisfies no constraint.
  for (uint32_t c = 0; c < ranges_.size(); ++c) {
    for (size_t k = 0; k < ranges_[c].size(); ++k) {
      AttributeValues& values = search_.values_[search_.claims_[c].constraints[k].values()];
      if (!search_.Spend(2 * users_.size())) return false;
      for (uint32_t i = 0; i < users_.size(); ++i) {
        if (last_user_[i] > 0 &&
            values.Of(i, search_.candidate(i).device()) == AttributeValues::kMissing)
          users_[i] &= ~ranges_[c][k].requests;
      }
    }
  }
  return true;
}

bool SearchPruning::Classify(uint32_t order, Search::Wanted& wanted) {
  const bool admin = wanted.compiled->admin_access;
  wanted.known.resize(search_.marks_.size());
  for (uint32_t i = 0; i < search_.marks_.size(); ++i) {
    if (!search_.Spend(1)) return false;
    wanted.known[i] &= static_cast<uint8_t>(~(kPickable | kFailing));
    if (search_.IsInUse(requests_[order].claim, admin, i)) continue;
    const std::optional<bool> selectable = search_.IsSelectable(requests_[order].claim, wanted, i);
    if (!selectable) {
      if (search_.timed_out()) return false;
      search_.result_.error = {};
      wanted.known[i] |= kFailing;
      failing_[i] |= Bit(order);
    } else {
      const NodePools::Candidate& candidate = search_.candidate(i);
      const bool has_counters = !candidate.device().object->consumes_counters.empty();
      const bool shared = candidate.device().shareable &&
                          search_.input_.allocated.HasCapacityEntry(candidate.device().id);
      const bool pickable =
          *selectable && search_.HasCapacity(wanted, i) && !search_.IsTainted(wanted, i) &&
          (!has_counters || (search_.input_.gates.partitionable_devices &&
                             (shared || !search_.TakenOf(*candidate.pool).rest.overdrawn)));
      if (!pickable) continue;
      wanted.known[i] |= kPickable;
      users_[i] |= Bit(order);
    }
    last_user_[i] = order + 1;
  }
  return true;
}

// --- counters ---

void SearchPruning::FindCounters() {
  std::unordered_map<const Pool*, std::vector<uint32_t>> known;
  for (uint32_t i = 0; i < uses_.size(); ++i) {
    const NodePools::Candidate& candidate = search_.candidate(i);
    if (last_user_[i] == 0 || candidate.member->counters.empty()) continue;
    std::vector<uint32_t>& of_pool = known[candidate.pool];
    if (of_pool.empty()) of_pool.resize(candidate.pool->counters.size(), UINT32_MAX);
    search_.Spend(2 * candidate.member->counters.size());
    for (const CounterUse& use : candidate.member->counters) {
      if (use.amount.IsZero()) continue;
      uint32_t& counter = of_pool[use.counter];
      if (counter == UINT32_MAX) {
        counter = static_cast<uint32_t>(counters_.size());
        counters_.push_back({.pool = candidate.pool, .index = use.counter, .uses = {}});
      }
      Counter& found = counters_[counter];
      const double amount = use.amount.AsApproximateFloat64();
      found.sum += std::abs(amount);
      negative_ |= amount < 0;
      if (!found.uses.empty() && found.uses.back().second == i) {
        found.uses.back().first += amount;
        continue;
      }
      found.uses.emplace_back(amount, i);
      uses_[i].push_back(counter);
    }
  }
  ordered_ |= negative_;
  for (Counter& counter : counters_) {
    std::ranges::sort(counter.uses);
    const double available =
        search_.TakenOf(*counter.pool).rest.counters[counter.index].AsApproximateFloat64();
    if (available <= 0 || !std::isfinite(available) || !std::isfinite(counter.sum)) continue;
    counter.weight = 1 / available;
    for (const auto& [amount, candidate] : counter.uses)
      loads_[candidate] += amount * counter.weight;
  }
}

void SearchPruning::FindGroups() {
  std::vector<uint32_t> parents(counters_.size());
  std::iota(parents.begin(), parents.end(), 0);
  const auto find = [&](uint32_t counter) {
    while (parents[counter] != counter) {
      parents[counter] = parents[parents[counter]];
      counter = parents[counter];
    }
    return counter;
  };
  for (uint32_t i = 0; i < uses_.size(); ++i) {
    grouped_[i] = !uses_[i].empty() && !IsShareable(i);
    if (!grouped_[i]) continue;
    for (uint32_t counter : uses_[i]) parents[find(counter)] = find(uses_[i][0]);
  }
  std::unordered_map<uint32_t, size_t> group_of;
  const auto group = [&](uint32_t counter) -> Group& {
    const auto [place, is_new] = group_of.try_emplace(find(counter), groups_.size());
    if (is_new) groups_.emplace_back();
    return groups_[place->second];
  };
  for (uint32_t i = 0; i < uses_.size(); ++i) {
    if (grouped_[i]) group(uses_[i][0]).candidates.push_back(i);
  }
  for (uint32_t counter = 0; counter < counters_.size(); ++counter) {
    if (group_of.contains(find(counter))) group(counter).counters.push_back(counter);
  }
}

// --- kinds ---

// The bytes of all by which the rest of a search can tell candidates apart; of counters and
// capacities, enough that AreOfOneKind need not compare many.
std::string SearchPruning::KindKeyOf(uint32_t candidate) const {
  KeyBytes key;
  const Device& device = search_.candidate(candidate).device();
  const AllocatedDevices& allocated = search_.input_.allocated;
  if (unique_[candidate]) key.Add(candidate);
  key.Add<uint8_t>(static_cast<uint8_t>((device.shareable ? 1 : 0) |
                                        (allocated.IsExclusive(device.id) ? 2 : 0) |
                                        (allocated.HasCapacityEntry(device.id) ? 4 : 0)));
  for (const Search::Claim& claim : search_.claims_) {
    for (const Search::Request& request : claim.requests) {
      for (const Search::Wanted& wanted : request.alternatives)
        key.Add<uint8_t>(wanted.known[candidate] & (kPickable | kFailing));
    }
  }
  for (AttributeValues& values : search_.values_) key.Add(values.Of(candidate, device));
  for (uint32_t counter : uses_[candidate]) key.Add(counter);
  if (device.shareable) {
    for (const auto& [name, capacity] : device.object->capacity)
      key.Add(capacity.value.AsApproximateFloat64());
  }
  return key.Take();
}

bool SearchPruning::AreOfOneKind(uint32_t a, uint32_t b) const {
  const Device& one = search_.candidate(a).device();
  const Device& other = search_.candidate(b).device();
  if (one.object->consumes_counters != other.object->consumes_counters) return false;
  if (!one.shareable) return true;
  return one.object->capacity == other.object->capacity &&
         !search_.input_.allocated.HasCapacityEntry(one.id);
}

void SearchPruning::FindKinds() {
  std::unordered_map<std::string, std::pair<uint32_t, uint32_t>, StringHash, std::equal_to<>>
      known;  // With a candidate.
  uint32_t kinds = 0;
  kinds_.resize(users_.size());
  for (uint32_t i = 0; i < users_.size(); ++i) {
    if (last_user_[i] == 0) {
      kinds_[i] = UINT32_MAX;
      continue;
    }
    std::string key = KindKeyOf(i);
    if (!search_.Spend(16 + key.size())) return;
    const auto [place, is_new] = known.try_emplace(std::move(key), kinds, i);
    if (!is_new && AreOfOneKind(i, place->second.second)) {
      kinds_[i] = place->second.first;
    } else {
      kinds_[i] = kinds++;
    }
  }
}

// The less is requested of a capacity, the less is consumed.
void SearchPruning::FindLeastAmounts() {
  Shares& shares = search_.shares_;
  std::map<std::string_view, std::pair<const api::Quantity*, size_t>> least;  // And how often.
  for (uint32_t number = 0; number < shares.size(); ++number) {
    const Shares::Requested& requested = shares.requested(number);
    if (!requested) continue;
    if (!search_.Spend(4 * requested->size())) return;
    for (const auto& [name, amount] : *requested) {
      ordered_ |= amount.Sign() < 0;
      auto& [known, times] = least[name];
      if (known == nullptr || amount < *known) known = &amount;
      ++times;
    }
  }
  for (uint32_t i = 0; i < users_.size(); ++i) {
    const Device& device = search_.candidate(i).device();
    if (!device.shareable || last_user_[i] == 0) continue;
    const auto [place, is_new] = least_amounts_.try_emplace(kinds_[i]);
    if (!is_new) continue;
    if (!search_.Spend(1 + 32 * device.object->capacity.size())) return;
    for (const auto& [name, capacity] : device.object->capacity) {
      const auto found = least.find(name);
      const bool always = found != least.end() && found->second.second == shares.size();
      double amount = INFINITY;
      if (!always) amount = ConsumedCapacity(nullptr, capacity).AsApproximateFloat64();
      if (found != least.end()) {
        amount = std::min(amount,
                          ConsumedCapacity(found->second.first, capacity).AsApproximateFloat64());
      }
      ordered_ |= amount < 0;
      place->second.push_back(amount);
    }
  }
}

}  // namespace berth::scheduler::devices
