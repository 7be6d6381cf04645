#include "scheduler/devices/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/saturating.h"
#include "scheduler/devices/search_pruning.h"

namespace berth::scheduler::devices {

Search::Search(const Input& input)
    : input_(input), budget_(input.max_work), shares_(input.allocated) {}

Search::~Search() = default;

SearchResult Search::Run() {
  result_.kind = SearchResult::Kind::kError;
  if (input_.pools.error) {
    result_.error.text = "gather pool information: " + *input_.pools.error;
    return std::move(result_);
  }
  Outcome outcome = Prepare() ? Explore() : Outcome::kError;
  if (outcome == Outcome::kHard) {
    Restart();
    pruning_ = std::make_unique<SearchPruning>(*this);
    outcome = pruning_->Prepare() ? Explore() : Outcome::kTimedOut;
  }
  if (timed_out()) outcome = Outcome::kTimedOut;
  if (input_.memory != nullptr) Remember();
  result_.work = budget_.spent();
  result_.max_work = input_.max_work;
  switch (outcome) {
    case Outcome::kFound:
      result_.kind = SearchResult::Kind::kFound;
      result_.picks = std::move(picks_);
      for (const Frame& frame : frames_) {
        if (frame.chooses) result_.alternatives[frame.claim][frame.request] = frame.alternative;
      }
      break;
    case Outcome::kNo:
    case Outcome::kExceeded:
      result_.kind = input_.pools.has_invalid ? SearchResult::Kind::kInvalidPools
                                              : SearchResult::Kind::kNotFound;
      break;
    case Outcome::kTimedOut:
    case Outcome::kHard:
      result_.kind = SearchResult::Kind::kTimedOut;
      break;
    case Outcome::kError:
      break;
  }
  return std::move(result_);
}

// --- requests ---

bool Search::Prepare() {
  marks_.resize(input_.pools.candidates.size());
  claims_.resize(input_.claims.size());
  result_.alternatives.resize(input_.claims.size());
  size_t selector_bytes = 0;
  for (const CompiledClaim* claim : input_.claims) selector_bytes += claim->selector_bytes;
  if (selector_bytes > kMaxSelectorBytes) {
    too_costly_ = true;
    return false;
  }
  for (size_t i = 0; i < claims_.size(); ++i) {
    const CompiledClaim& compiled = *input_.claims[i];
    Claim& claim = claims_[i];
    result_.alternatives[i].resize(compiled.requests.size());
    claim.requests.resize(compiled.requests.size());
    int64_t needed = 0;
    for (size_t r = 0; r < compiled.requests.size(); ++r) {
      if (!PrepareRequest(i, compiled.requests[r], claim.requests[r])) return false;
      needed = SaturatingAdd(needed, claim.requests[r].least);
    }
    if (needed > static_cast<int64_t>(kMaxDevicesOfClaim)) {
      result_.error = {
          i, fmt::format(": number of requested devices {} exceeds the claim limit of {}", needed,
                         kMaxDevicesOfClaim)};
      return false;
    }
    for (const CompiledConstraint& constraint : compiled.constraints) {
      if (constraint.error) {
        result_.error = {i, *constraint.error};
        return false;
      }
      if (!Spend(1)) return false;
      claim.constraints.emplace_back(constraint, ValuesOf(constraint.attribute),
                                     compiled.requests.size());
    }
  }
  return true;
}

void Search::Recall(Wanted& wanted) {
  std::vector<SearchMemory::Wanted>& known = input_.memory->wanted_;
  if (recalled_ == known.size()) known.emplace_back();
  wanted.known = std::move(known[recalled_].known);
  wanted.revisions = std::move(known[recalled_++].revisions);
  wanted.revisions.resize(marks_.size());
}

void Search::Remember() {
  size_t next = 0;
  for (Claim& claim : claims_) {
    for (Request& request : claim.requests) {
      for (Wanted& wanted : request.alternatives) {
        if (next == recalled_) return;
        input_.memory->wanted_[next++] = {std::move(wanted.known), std::move(wanted.revisions)};
      }
    }
  }
}

size_t Search::ValuesOf(const std::string& attribute) {
  const auto found = std::ranges::find(values_, attribute, &AttributeValues::attribute);
  if (found != values_.end()) return static_cast<size_t>(found - values_.begin());
  Spend(values_.size() + marks_.size() / 16);
  values_.emplace_back(attribute, marks_.size());
  return values_.size() - 1;
}

bool Search::PrepareRequest(size_t claim, const CompiledRequest& compiled, Request& request) {
  if (compiled.error) {
    result_.error = {claim, *compiled.error};
    return false;
  }
  request.compiled = &compiled;
  request.least = INT64_MAX;
  request.alternatives.reserve(compiled.alternatives.size());
  for (const CompiledAlternative& alternative : compiled.alternatives) {
    Wanted& wanted = request.alternatives.emplace_back();
    wanted.compiled = &alternative;
    if (alternative.error) {
      result_.error = {claim, *alternative.error};
      return false;
    }
    // The allocation has a copy of the tolerations for each device.
    wanted.count = alternative.request->count;
    const auto devices = static_cast<uint64_t>(
        std::clamp<int64_t>(wanted.count, 1, static_cast<int64_t>(kMaxDevicesOfClaim)));
    if (input_.memory != nullptr) Recall(wanted);
    const size_t tolerations = alternative.request->tolerations.size();
    if (!Spend(1 + shares_.size() + 8 * tolerations * devices)) return false;
    wanted.amounts = shares_.Register(alternative.request->capacity_requests);
    if (alternative.all_devices && !PrepareAll(claim, wanted)) return false;
    request.least = std::min(request.least, wanted.count);
  }
  return true;
}

bool Search::PrepareAll(size_t claim, Wanted& wanted) {
  uint32_t index = 0;
  for (const auto& pool : input_.pools.pools) {
    if (!pool->usable()) {
      result_.error = {
          claim,
          fmt::format(", request {}: asks for all devices, but resource pool {} is currently {}",
                      wanted.compiled->own_name, pool->ToString(),
                      pool->incomplete ? "being updated" : "invalid")};
      return false;
    }
    for (size_t i = 0; i < pool->devices.size(); ++i, ++index) {
      if (!Spend(1)) return false;
      const std::optional<bool> selectable = IsSelectable(claim, wanted, index);
      if (!selectable) return false;
      if (*selectable && HasCapacity(wanted, index)) wanted.all.push_back(index);
    }
  }
  wanted.count = static_cast<int64_t>(wanted.all.size());
  return true;
}

// --- the search ---

Search::Outcome Search::Explore() {
  std::optional<Outcome> returned = Advance(0, 0);
  while (true) {
    if (!Spend(1)) return Outcome::kTimedOut;
    if (returned && *returned != Outcome::kNo && *returned != Outcome::kExceeded) return *returned;
    if (frames_.empty()) return *returned;
    Frame& frame = frames_.back();
    returned = frame.chooses ? Choose(frame, returned) : PickDevice(frame, returned);
  }
}

// Forgets what was picked.
void Search::Restart() {
  frames_.clear();
  failed_.clear();
  picks_.clear();
  took_counters_.clear();
  std::ranges::fill(marks_, 0);
  shares_.Clear();
  counters_.clear();
  for (Claim& claim : claims_) {
    claim.picked = 0;
    for (ConstraintState& constraint : claim.constraints) constraint.Clear();
  }
}

// Goes on with a request of a claim, or the first one behind it.
std::optional<Search::Outcome> Search::Advance(uint32_t claim, uint32_t request) {
  while (claim < claims_.size() && request >= claims_[claim].requests.size()) {
    ++claim;
    request = 0;
  }
  if (claim == claims_.size()) return Outcome::kFound;
  frames_.push_back({.claim = claim,
                     .request = request,
                     .failed = static_cast<uint32_t>(failed_.size()),
                     .chooses = claims_[claim].requests[request].compiled->has_alternatives});
  return std::nullopt;
}

// Ends the last frame. Other devices for an earlier claim may help a claim that has too many.
Search::Outcome Search::Return(Outcome outcome) {
  const Frame ended = frames_.back();
  frames_.pop_back();
  failed_.resize(ended.failed);
  if (outcome == Outcome::kExceeded && !frames_.empty() && frames_.back().claim != ended.claim)
    return Outcome::kNo;
  return outcome;
}

std::optional<Search::Outcome> Search::Choose(Frame& frame, std::optional<Outcome> returned) {
  if (returned) {
    if (*returned == Outcome::kNo) frame.all_exceeded = false;
    ++frame.alternative;
    if (pruning_ == nullptr && ++failures_ > input_.easy_failures) return Outcome::kHard;
  }
  const Request& request = claims_[frame.claim].requests[frame.request];
  if (frame.alternative == request.alternatives.size())
    return Return(frame.all_exceeded ? Outcome::kExceeded : Outcome::kNo);
  frames_.push_back({.claim = frame.claim,
                     .request = frame.request,
                     .alternative = frame.alternative,
                     .failed = static_cast<uint32_t>(failed_.size())});
  return std::nullopt;
}

std::optional<Search::Outcome> Search::PickDevice(Frame& frame, std::optional<Outcome> returned) {
  if (returned) {
    if (pruning_ == nullptr && ++failures_ > input_.easy_failures) return Outcome::kHard;
    if (pruning_ != nullptr && *returned == Outcome::kNo)
      pruning_->NoteFailedPick(frame, picks_.back().candidate);
    Deallocate(frame);
    if (*returned == Outcome::kExceeded) return Return(*returned);
    if (wanted_of(frame).compiled->all_devices) {
      if (pruning_ != nullptr) pruning_->NoteFailure();
      return Return(*returned);
    }
  } else if (!std::exchange(frame.entered, true)) {
    const Wanted& wanted = wanted_of(frame);
    if (wanted.compiled->all_devices && wanted.all.empty()) return Return(Outcome::kNo);
    if (frame.picked >= wanted.count) {
      const Frame done = frame;
      frames_.pop_back();
      const auto outcome = Advance(done.claim, done.request + 1);
      return outcome;
    }
    const auto more = static_cast<int64_t>(claim_of(frame).picked) - frame.picked;
    if (SaturatingAdd(wanted.count, more) > static_cast<int64_t>(kMaxDevicesOfClaim))
      return Return(Outcome::kExceeded);
    if (pruning_ != nullptr) {
      const std::optional<Outcome> known = pruning_->Assess(frame);
      if (timed_out()) return Outcome::kTimedOut;
      if (known) return Return(*known);
    }
  }
  return TryCandidates(frames_.size() - 1);
}

// Picks the next candidate that can be picked, and goes on with the next device.
std::optional<Search::Outcome> Search::TryCandidates(size_t at) {
  Frame& frame = frames_[at];
  Wanted& wanted = wanted_of(frame);
  bool picked = false;
  if (wanted.compiled->all_devices) {
    picked = Allocate(frame, wanted.all[frame.picked], /*must=*/true);
    if (!picked && result_.error.claim) return Outcome::kError;
  } else {
    const bool admin = wanted.compiled->admin_access;
    while (!picked && frame.next < marks_.size()) {
      const uint32_t index = frame.next++;
      if (!Spend(1)) return Outcome::kTimedOut;
      if (IsInUse(frame.claim, admin, index)) continue;
      const std::optional<bool> selectable = IsSelectable(frame.claim, wanted, index);
      if (!selectable) return timed_out() ? Outcome::kTimedOut : Outcome::kError;
      if (!*selectable || !HasCapacity(wanted, index)) continue;
      if (pruning_ != nullptr && pruning_->IsLikeFailed(frame, index)) continue;
      picked = Allocate(frame, index, /*must=*/false);
    }
  }
  if (timed_out()) return Outcome::kTimedOut;
  if (!picked) {
    if (pruning_ != nullptr) pruning_->NoteFailure();
    return Return(Outcome::kNo);
  }
  frames_.push_back({.claim = frame.claim,
                     .request = frame.request,
                     .alternative = frame.alternative,
                     .picked = frame.picked + 1,
                     .next = frame.next,
                     .failed = static_cast<uint32_t>(failed_.size())});
  return std::nullopt;
}

}  // namespace berth::scheduler::devices
