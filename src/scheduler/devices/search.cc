#include "scheduler/devices/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/saturating.h"

namespace berth::scheduler::devices {

Search::Search(const Input& input) : input_(input) {}

SearchResult Search::Run() {
  if (input_.pools.error) {
    result_.kind = SearchResult::Kind::kError;
    result_.error.text = "gather pool information: " + *input_.pools.error;
    return std::move(result_);
  }
  result_.kind = SearchResult::Kind::kError;
  if (!Prepare()) {
    if (result_.steps > input_.max_steps) result_.kind = SearchResult::Kind::kTimedOut;
    return std::move(result_);
  }
  switch (Explore()) {
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
  for (size_t i = 0; i < claims_.size(); ++i) {
    const CompiledClaim& compiled = *input_.claims[i];
    Claim& claim = claims_[i];
    result_.alternatives[i].resize(compiled.requests.size());
    claim.requests.resize(compiled.requests.size());
    int64_t needed = 0;
    for (size_t r = 0; r < compiled.requests.size(); ++r) {
      int64_t least = 0;
      if (!PrepareRequest(i, compiled.requests[r], claim.requests[r], least)) return false;
      needed = SaturatingAdd(needed, least);
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
      claim.constraints.emplace_back(constraint);
      has_distinct_ |= constraint.distinct;
    }
  }
  return true;
}

bool Search::PrepareRequest(size_t claim, const CompiledRequest& compiled, Request& request,
                            int64_t& least) {
  if (compiled.error) {
    result_.error = {claim, *compiled.error};
    return false;
  }
  request.compiled = &compiled;
  least = INT64_MAX;
  for (const CompiledAlternative& alternative : compiled.alternatives) {
    Wanted& wanted = request.alternatives.emplace_back();
    wanted.compiled = &alternative;
    if (alternative.error) {
      result_.error = {claim, *alternative.error};
      return false;
    }
    wanted.count = alternative.request->count;
    if (alternative.all_devices && !PrepareAll(claim, wanted)) return false;
    least = std::min(least, wanted.count);
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
    if (!SpendSteps(1)) return Outcome::kTimedOut;
    if (returned && *returned != Outcome::kNo && *returned != Outcome::kExceeded) return *returned;
    if (frames_.empty()) return *returned;
    Frame& frame = frames_.back();
    returned = frame.chooses ? Choose(frame, returned) : PickDevice(frame, returned);
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
  Claim& claim = claims_[frame.claim];
  Wanted& wanted = claim.requests[frame.request].alternatives[frame.alternative];
  if (returned) {
    if (!has_distinct_ && *returned == Outcome::kNo) failed_.push_back(picks_.back().candidate);
    Deallocate(frame);
    if (*returned == Outcome::kExceeded || wanted.compiled->all_devices) return Return(*returned);
  } else if (!std::exchange(frame.entered, true)) {
    if (wanted.compiled->all_devices && wanted.all.empty()) return Return(Outcome::kNo);
    if (frame.picked >= wanted.count) {
      wanted.depends_on_more = true;
      const Frame done = frame;
      frames_.pop_back();
      const auto outcome = Advance(done.claim, done.request + 1);
      return outcome;
    }
    const auto more = static_cast<int64_t>(claim.picked) - frame.picked;
    if (SaturatingAdd(wanted.count, more) > static_cast<int64_t>(kMaxDevicesOfClaim))
      return Return(Outcome::kExceeded);
    if (frame.picked == 0) {
      if (FailsAgain(wanted)) return Return(Outcome::kNo);
      wanted.kept_by_picks.clear();
      wanted.depends_on_more = wanted.compiled->admin_access || wanted.compiled->all_devices;
    }
  }
  return TryCandidates(frames_.size() - 1);
}

// Picks the next candidate that can be picked, and goes on with the next device.
std::optional<Search::Outcome> Search::TryCandidates(size_t at) {
  Claim& claim = claims_[frames_[at].claim];
  Wanted& wanted = claim.requests[frames_[at].request].alternatives[frames_[at].alternative];
  const bool all = wanted.compiled->all_devices;
  Frame& frame = frames_[at];
  bool picked = false;
  if (all) {
    picked = Allocate(frame, wanted.all[frame.picked], /*must=*/true);
    if (!picked) return result_.error.claim ? Outcome::kError : Return(Outcome::kNo);
  }
  while (!picked && frame.next < marks_.size()) {
    const uint32_t index = frame.next++;
    if (!SpendSteps(1)) return Outcome::kTimedOut;
    if (IsInUse(frame.claim, wanted.compiled->admin_access, index)) {
      if (frame.picked == 0 && marks_[index] > 0) wanted.kept_by_picks.push_back(index);
      continue;
    }
    const std::optional<bool> selectable = IsSelectable(frame.claim, wanted, index);
    if (!selectable) return result_.steps > input_.max_steps ? Outcome::kTimedOut : Outcome::kError;
    if (!*selectable) continue;
    if (!HasCapacity(wanted, index)) {
      wanted.depends_on_more |= shares_.contains(index);
      continue;
    }
    if (IsLikeFailed(frame, index)) continue;
    picked = Allocate(frame, index, /*must=*/false);
  }
  if (!picked) {
    if (frame.picked == 0) RememberFailure(wanted);
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
