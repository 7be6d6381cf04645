// What SearchPruning finds out about a frame of the search.

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/saturating.h"
#include "scheduler/devices/bipartite_matching.h"
#include "scheduler/devices/key_bytes.h"
#include "scheduler/devices/known_flags.h"
#include "scheduler/devices/search_pruning.h"

namespace berth::scheduler::devices {
namespace {

// Sums of counters and capacities are computed in floating point, and must exceed what is there by
// this part of all that is added before a branch counts as hopeless.
constexpr double kSlack = 1e-9;
// Requests whose counters are summed one by one.
constexpr int kMaxSummedAlone = 4;

template <typename Visit>
void ForEachBit(uint64_t bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<uint32_t>(std::countr_zero(bits)));
}

}  // namespace

std::optional<Search::Outcome> SearchPruning::Assess(const Search::Frame& frame) {
  const uint32_t order = orders_[frame.claim][frame.request];
  const size_t depth = search_.frames_.size() - 1;
  if (keys_.size() <= depth) keys_.resize(depth + 1);
  keys_[depth].clear();
  const Requests failing = FindOpen(frame, order);
  if (ExceedsClaim(frame, order, failing)) return Search::Outcome::kExceeded;
  ApplyConstraints(frame, order);
  // Those before the first that may fail: what comes behind it may not be reached.
  const Requests remaining = order < kMaxCounted ? ~Requests{0} << order : 0;
  const Requests before = failing == 0 ? ~Requests{0} : (failing & -failing) - 1;
  if (!Suffices(frame, order, remaining & before & summed_)) return Search::Outcome::kNo;
  std::string key = KeyOf(frame, order);
  if (search_.timed_out() || failed_.contains(key)) return Search::Outcome::kNo;
  keys_[depth] = std::move(key);
  return std::nullopt;
}

void SearchPruning::NoteFailure() {
  const size_t depth = search_.frames_.size() - 1;
  if (depth < keys_.size() && !keys_[depth].empty()) failed_.insert(std::move(keys_[depth]));
  if (depth < keys_.size()) keys_[depth].clear();
}

// A solution with this candidate would be one with the other, too: exchange the two. Not if the
// order of devices matters.
bool SearchPruning::IsLikeFailed(const Search::Frame& frame, uint32_t candidate) {
  if (ordered_ || search_.failed_.size() <= frame.failed) return false;
  if (search_.marks_[candidate] > 0 || search_.shares_.Has(candidate)) return false;
  search_.Spend(search_.failed_.size() - frame.failed);
  return std::find(search_.failed_.begin() + frame.failed, search_.failed_.end(),
                   kinds_[candidate]) != search_.failed_.end();
}

void SearchPruning::NoteFailedPick(const Search::Frame& frame, uint32_t candidate) {
  // As it was before it was picked.
  if (ordered_) return;
  if (IsShareable(candidate) && search_.shares_.PicksOf(candidate).size() > 1) return;
  if (!IsShareable(candidate) && search_.marks_[candidate] > 1) return;
  const auto begin = search_.failed_.begin() + frame.failed;
  if (std::find(begin, search_.failed_.end(), kinds_[candidate]) == search_.failed_.end())
    search_.failed_.push_back(kinds_[candidate]);
}

// --- open candidates ---

SearchPruning::Requests SearchPruning::FindOpen(const Search::Frame& frame, uint32_t order) {
  open_.clear();
  const Search::Wanted& wanted = search_.wanted_of(frame);
  const Requests later = order < kMaxCounted - 1 ? ~Requests{0} << (order + 1) : 0;
  Requests failing = may_fail_ & (later | Bit(order));
  search_.Spend(users_.size());
  for (uint32_t i = 0; i < users_.size(); ++i) {
    if (last_user_[i] <= order) continue;
    const bool marked = search_.marks_[i] > 0;
    if (marked && !has_admin_) continue;
    const uint8_t known = wanted.known[i];
    Open open{.candidate = i};
    open.now =
        (i >= frame.next || wanted.compiled->all_devices) && (known & (kPickable | kFailing)) != 0;
    if (!open.now && last_user_[i] <= order + 1) continue;
    Requests fails = failing_[i] & later;
    if (open.now && (known & kFailing) != 0) fails |= Bit(order);
    open.requests = users_[i] & later;
    if (open.now && (known & kPickable) != 0) open.requests |= users_[i] & Bit(order);
    if (marked) open.requests &= admin_;
    open.stays = ordered_ || fails != 0 || marked || unique_[i] || last_user_[i] > kMaxCounted ||
                 order >= kMaxCounted;
    failing |= fails;
    if (!open.stays && !uses_[i].empty() && !HasCounters(i)) continue;
    open_.push_back(open);
  }
  return failing;
}

// Reports whether the counters suffice for the candidate, as they are now.
bool SearchPruning::HasCounters(uint32_t candidate) {
  const NodePools::Candidate& found = search_.candidate(candidate);
  if (IsShareable(candidate)) return true;
  const Search::TakenCounters& counters = search_.TakenOf(*found.pool);
  search_.Spend(found.member->counters.size());
  return std::ranges::all_of(found.member->counters, [&](const CounterUse& use) {
    api::Quantity sum = counters.taken[use.counter];
    sum += use.amount;
    return sum <= counters.rest.counters[use.counter];
  });
}

// Leaves out requests that what was picked keeps from a candidate.
void SearchPruning::ApplyConstraints(const Search::Frame& frame, uint32_t order) {
  const std::vector<ConstraintState>& constraints = search_.claims_[frame.claim].constraints;
  for (size_t k = 0; k < constraints.size(); ++k) {
    const ConstraintState& constraint = constraints[k];
    if (ranges_[frame.claim][k].end <= order || !constraint.has_devices()) continue;
    Requests requests = ranges_[frame.claim][k].requests;
    if (constraint.AppliesTo(frame.request, frame.alternative)) requests |= Bit(order);
    AttributeValues& values = search_.values_[constraint.values()];
    search_.Spend(open_.size());
    for (Open& open : open_) {
      if ((open.requests & requests) == 0) continue;
      const uint32_t value = values.Of(open.candidate, search_.candidate(open.candidate).device());
      bool clashes = false;
      if (constraint.constraint().distinct) {
        const uint32_t own = constraint.last(frame.request) == value ? 1 : 0;
        clashes = constraint.uses(value) > own;
      } else {
        clashes = value != constraint.first() || value == AttributeValues::kUntyped;
      }
      if (clashes) open.requests &= ~requests;
    }
  }
}

// --- sums ---

// Reports whether the claim needs more devices than it may have, whatever is picked.
bool SearchPruning::ExceedsClaim(const Search::Frame& frame, uint32_t order,
                                 Requests failing) const {
  const uint32_t end = orders_[frame.claim].back() + 1;
  if (end > kMaxCounted) return false;
  const Requests of_claim = end == kMaxCounted ? ~Requests{0} : Bit(end) - 1;
  if ((failing & of_claim) != 0) return false;
  const Search::Wanted& wanted = search_.wanted_of(frame);
  auto needed = static_cast<int64_t>(search_.claims_[frame.claim].picked) - frame.picked;
  needed = SaturatingAdd(needed, wanted.count);
  for (uint32_t other = order + 1; other < end; ++other)
    needed = SaturatingAdd(needed, requests_[other].least);
  return needed > static_cast<int64_t>(kMaxDevicesOfClaim);
}

bool SearchPruning::Suffices(const Search::Frame& frame, uint32_t order, Requests counted) {
  if (counted == 0) return true;
  ForEachBit(counted, [&](uint32_t other) {
    needs_[other] =
        other == order ? search_.wanted_of(frame).count - frame.picked : requests_[other].least;
  });
  return HasDevices(counted) && HasEqualValues(order, counted) && HasSupply(order, counted) &&
         HasLoad(counted) && (frame.picked > 0 || HasDistinctValues(order, counted));
}

// Each request finds as many candidates as it needs; each exclusive one counts once.
bool SearchPruning::HasDevices(Requests counted) {
  int64_t found[kMaxCounted] = {};
  Requests shareable = 0;
  for (const Open& open : open_) {
    ForEachBit(open.requests & counted, [&](uint32_t order) { ++found[order]; });
    if (IsShareable(open.candidate)) shareable |= open.requests;
  }
  search_.Spend(open_.size() * static_cast<size_t>(std::popcount(counted)) / 4);
  bool suffices = true;
  int64_t items = 0;
  ForEachBit(counted, [&](uint32_t order) {
    suffices = suffices && found[order] >= needs_[order];
    if ((shareable >> order & 1) == 0) items = SaturatingAdd(items, needs_[order]);
  });
  if (!suffices || items > static_cast<int64_t>(8 * kMaxDevicesOfClaim)) return suffices;
  if (std::popcount(counted & ~shareable) < 2) return true;
  std::vector<std::vector<uint64_t>> rows;
  std::vector<uint32_t> row_of_item;
  std::vector<uint32_t> row_of(kMaxCounted);
  ForEachBit(counted & ~shareable, [&](uint32_t order) {
    row_of[order] = static_cast<uint32_t>(rows.size());
    rows.emplace_back(open_.size() / 64 + 1);
    for (int64_t i = 0; i < needs_[order]; ++i) row_of_item.push_back(row_of[order]);
  });
  search_.Spend(rows.size() * (open_.size() / 64 + 1));
  for (size_t i = 0; i < open_.size(); ++i) {
    ForEachBit(open_[i].requests & counted & ~shareable,
               [&](uint32_t order) { rows[row_of[order]][i / 64] |= uint64_t{1} << (i % 64); });
  }
  auto spend = [this](uint64_t work) { return search_.Spend(work); };
  return BipartiteMatching(rows, row_of_item, spend).Exists();
}

// Some value of an attribute that must match is that of enough devices.
bool SearchPruning::HasEqualValues(uint32_t order, Requests counted) {
  for (uint32_t c = requests_[order].claim; c < ranges_.size(); ++c) {
    for (size_t k = 0; k < ranges_[c].size(); ++k) {
      const ConstraintState& constraint = search_.claims_[c].constraints[k];
      const Requests requests = ranges_[c][k].requests & counted;
      if (constraint.constraint().distinct || constraint.has_devices() || requests == 0) continue;
      int64_t needs = 0;
      ForEachBit(requests, [&](uint32_t other) { needs = SaturatingAdd(needs, needs_[other]); });
      AttributeValues& values = search_.values_[constraint.values()];
      std::vector<int64_t> devices(values.end());
      int64_t most = 0;
      search_.Spend(open_.size() + devices.size() / 8);
      for (const Open& open : open_) {
        const Requests users = open.requests & requests;
        if (users == 0) continue;
        const uint32_t value =
            values.Of(open.candidate, search_.candidate(open.candidate).device());
        devices[value] += IsShareable(open.candidate) ? std::popcount(users) : 1;
        most = std::max(most, devices[value]);
      }
      if (most < needs) return false;
    }
  }
  return true;
}

// The last devices of the requests that a distinct attribute is about have different values.
bool SearchPruning::HasDistinctValues(uint32_t order, Requests counted) {
  const uint32_t claim = requests_[order].claim;
  for (uint32_t c = claim; c < ranges_.size(); ++c) {
    for (size_t k = 0; k < ranges_[c].size(); ++k) {
      const ConstraintState& constraint = search_.claims_[c].constraints[k];
      Requests requests = ranges_[c][k].requests & counted;
      ForEachBit(requests, [&](uint32_t other) {
        if (needs_[other] <= 0) requests &= ~Bit(other);
      });
      if (!constraint.constraint().distinct || std::popcount(requests) < 2) continue;
      AttributeValues& values = search_.values_[constraint.values()];
      std::vector<uint32_t> row_of(kMaxCounted);
      std::vector<uint32_t> row_of_item;
      ForEachBit(requests, [&](uint32_t other) {
        row_of[other] = static_cast<uint32_t>(row_of_item.size());
        row_of_item.push_back(row_of[other]);
      });
      // Values of unknown types differ from all: each request may have one.
      const size_t options = values.end() + row_of_item.size();
      std::vector<std::vector<uint64_t>> rows(row_of_item.size(),
                                              std::vector<uint64_t>(options / 64 + 1));
      if (!search_.Spend(open_.size() + rows.size() * (options / 64 + 1))) return true;
      for (const Open& open : open_) {
        const uint32_t value =
            values.Of(open.candidate, search_.candidate(open.candidate).device());
        ForEachBit(open.requests & requests, [&](uint32_t other) {
          const size_t option =
              value == AttributeValues::kUntyped ? values.end() + row_of[other] : value;
          rows[row_of[other]][option / 64] |= uint64_t{1} << (option % 64);
        });
      }
      auto spend = [this](uint64_t work) { return search_.Spend(work); };
      if (!BipartiteMatching(rows, row_of_item, spend).Exists()) return false;
    }
  }
  return true;
}

// Counters and capacities suffice for all requests together, and for the next ones alone.
bool SearchPruning::HasSupply(uint32_t order, Requests counted) {
  if (groups_.empty() && least_amounts_.empty()) return true;
  double needs = 0;
  ForEachBit(counted, [&](uint32_t other) { needs += static_cast<double>(needs_[other]); });
  if (SupplyOf(counted) < needs) return false;
  if (groups_.empty() || std::popcount(counted) < 2) return true;
  bool suffices = true;
  int left = kMaxSummedAlone;
  ForEachBit(counted, [&](uint32_t other) {
    if (!suffices || (other != order && left-- <= 0)) return;
    suffices = SupplyOf(Bit(other)) >= static_cast<double>(needs_[other]);
  });
  return suffices;
}

// What the requests take of all counters together, each counted by the part that it is of what
// claims leave, is there: so are many small shortages found.
bool SearchPruning::HasLoad(Requests counted) {
  if (groups_.empty() || negative_) return true;
  double least[kMaxCounted];
  std::ranges::fill(least, INFINITY);
  double rest = 0, added = 0;
  ++load_round_;
  for (const Open& open : open_) {
    const Requests requests = open.requests & counted;
    if (requests == 0) continue;
    const double load = grouped_[open.candidate] ? loads_[open.candidate] : 0;
    ForEachBit(requests, [&](uint32_t order) { least[order] = std::min(least[order], load); });
    search_.Spend(1 + uses_[open.candidate].size());
    for (uint32_t number : uses_[open.candidate]) {
      Counter& counter = counters_[number];
      if (std::exchange(counter.load_round, load_round_) == load_round_) continue;
      if (counter.weight == 0) continue;
      const Search::TakenCounters& taken = search_.TakenOf(*counter.pool);
      const double available = taken.rest.counters[counter.index].AsApproximateFloat64();
      rest += counter.weight * (available - taken.taken[counter.index].AsApproximateFloat64());
      added += counter.weight * available;
    }
  }
  double needs = 0;
  ForEachBit(counted, [&](uint32_t order) {
    if (needs_[order] > 0) needs += static_cast<double>(needs_[order]) * least[order];
  });
  return !(needs > rest + kSlack * (added + needs));
}

// Returns how many devices the requests can have at most.
double SearchPruning::SupplyOf(Requests requests) {
  double supply = 0;
  search_.Spend(open_.size());
  for (const Open& open : open_) {
    if ((open.requests & requests) == 0) continue;
    if (grouped_[open.candidate]) {
      is_supply_[open.candidate] = true;
    } else {
      supply += SlotsOf(open, requests);
    }
  }
  for (const Group& group : groups_) supply += static_cast<double>(DevicesOf(group));
  for (const Open& open : open_) is_supply_[open.candidate] = false;
  return supply;
}

// Returns how many requests can share the candidate at most: each once.
double SearchPruning::SlotsOf(const Open& open, Requests requests) {
  if (!IsShareable(open.candidate)) return 1;
  double slots = std::popcount(open.requests & requests);
  const auto least = least_amounts_.find(kinds_[open.candidate]);
  if (slots < 1 || least == least_amounts_.end()) return slots;
  const std::vector<double>* left = search_.shares_.LeftOf(open.candidate);
  const Device& device = search_.candidate(open.candidate).device();
  search_.Spend(4 * device.object->capacity.size());
  size_t c = 0;
  for (const auto& [name, capacity] : device.object->capacity) {
    const double value = capacity.value.AsApproximateFloat64();
    const double rest = left == nullptr ? value : (*left)[c];
    const double amount = least->second[c++];
    if (amount <= 0 || !std::isfinite(rest) || !std::isfinite(value)) continue;
    slots = std::min(slots, std::floor((rest + kSlack * std::abs(value)) / amount + kSlack));
  }
  return std::max(slots, 0.0);
}

// Returns how many of the candidates that count the counters of the group allow at most.
size_t SearchPruning::DevicesOf(const Group& group) {
  const auto members = static_cast<size_t>(std::ranges::count_if(
      group.candidates, [this](uint32_t candidate) { return is_supply_[candidate]; }));
  size_t devices = members;
  search_.Spend(group.candidates.size() + group.counters.size());
  for (uint32_t number : group.counters) {
    if (devices == 0) break;
    const Counter& counter = counters_[number];
    const Search::TakenCounters& taken = search_.TakenOf(*counter.pool);
    const double available = taken.rest.counters[counter.index].AsApproximateFloat64();
    double rest = available - taken.taken[counter.index].AsApproximateFloat64();
    if (!std::isfinite(rest) || !std::isfinite(counter.sum)) continue;
    rest += kSlack * (counter.sum + std::abs(available));
    size_t users = 0, fits = 0;
    search_.Spend(counter.uses.size());
    for (const auto& [amount, candidate] : counter.uses) {
      if (!is_supply_[candidate]) continue;
      ++users;
      rest -= amount;
      if (rest >= 0) fits = users;
    }
    devices = std::min(devices, members - users + fits);
  }
  return devices;
}

// --- states ---

std::string SearchPruning::KeyOf(const Search::Frame& frame, uint32_t order) {
  KeyBytes key;
  key.Add(order);
  key.Add(frame.alternative);
  key.Add(frame.picked);
  key.Add(search_.claims_[frame.claim].picked);
  std::vector<uint64_t> codes;
  codes.reserve(open_.size());
  for (Open& open : open_) {
    if (!ordered_ && open.now && order < kMaxCounted)
      open.now = open.stays || (open.requests & Bit(order)) != 0;
    if (open.requests != 0 || open.stays) codes.push_back(CodeOf(frame, open));
  }
  if (!ordered_) std::ranges::sort(codes);
  key.Add(static_cast<uint32_t>(codes.size()));
  for (size_t i = 0; i < codes.size();) {
    size_t end = i + 1;
    while (end < codes.size() && codes[end] == codes[i]) ++end;
    key.Add(codes[i]);
    key.Add(static_cast<uint32_t>(end - i));
    i = end;
  }
  std::string bytes = key.Take();
  AddConstraints(frame, order, bytes);
  if (!counters_.empty()) AddCounters(bytes);
  search_.Spend(2 * codes.size() + bytes.size() / 8);
  return bytes;
}

// What a candidate is and what picks have made of it, for the rest of the search.
uint64_t SearchPruning::CodeOf(const Search::Frame& frame, const Open& open) {
  uint32_t state = 0;
  if (search_.marks_[open.candidate] > 0) {
    state = search_.IsInUse(frame.claim, /*admin=*/true, open.candidate) ? 1 : 2;
  } else if (IsShareable(open.candidate) && search_.shares_.Has(open.candidate)) {
    std::vector<uint32_t> picks = search_.shares_.PicksOf(open.candidate);
    std::ranges::sort(picks);
    search_.Spend(picks.size());
    KeyBytes bytes;
    for (uint32_t number : picks) bytes.Add(number);
    const auto next = static_cast<uint32_t>(share_states_.size() + 3);
    state = share_states_.try_emplace(bytes.Take(), next).first->second;
  }
  return uint64_t{kinds_[open.candidate]} << 32 | uint64_t{state} << 1 | (open.now ? 1 : 0);
}

void SearchPruning::AddConstraints(const Search::Frame& frame, uint32_t order,
                                   std::string& key) const {
  const std::vector<ConstraintState>& constraints = search_.claims_[frame.claim].constraints;
  KeyBytes bytes;
  for (size_t k = 0; k < constraints.size(); ++k) {
    const ConstraintState& constraint = constraints[k];
    if (ranges_[frame.claim][k].end <= order) continue;
    bytes.Add<uint8_t>(constraint.has_devices());
    if (!constraint.constraint().distinct) {
      bytes.Add(constraint.has_devices() ? constraint.first() : 0);
      continue;
    }
    std::vector<uint32_t> values;
    const size_t requests = search_.claims_[frame.claim].requests.size();
    for (size_t r = 0; r < requests; ++r) {
      if (r != frame.request && constraint.last(r) != 0) values.push_back(constraint.last(r));
    }
    std::ranges::sort(values);
    search_.Spend(requests);
    bytes.Add(constraint.last(frame.request));
    bytes.Add(static_cast<uint32_t>(values.size()));
    for (uint32_t value : values) bytes.Add(value);
  }
  key += bytes.Take();
}

// What is taken of the counters that an open candidate draws on.
void SearchPruning::AddCounters(std::string& key) {
  std::vector<uint32_t> counters;
  for (const Open& open : open_) {
    if (open.requests == 0 && !open.stays) continue;
    counters.insert(counters.end(), uses_[open.candidate].begin(), uses_[open.candidate].end());
  }
  search_.Spend(2 * counters.size());
  std::ranges::sort(counters);
  const auto repeated = std::ranges::unique(counters);
  counters.erase(repeated.begin(), repeated.end());
  KeyBytes bytes;
  for (uint32_t number : counters) {
    const Counter& counter = counters_[number];
    const api::Quantity& taken = search_.TakenOf(*counter.pool).taken[counter.index];
    if (taken.IsZero()) continue;
    bytes.Add(number);
    bytes.Add(taken);
  }
  key += bytes.Take();
}

}  // namespace berth::scheduler::devices
