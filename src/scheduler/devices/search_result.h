// SearchResult is what a search for devices on a node found: see Search.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/devices/requests.h"

namespace berth::scheduler::devices {

// A device that was found for a request of a claim.
struct Pick {
  uint32_t claim = 0;
  uint32_t request = 0;
  uint32_t alternative = 0;
  uint32_t candidate = 0;  // An index of NodePools::candidates.
  friend bool operator==(const Pick&, const Pick&) = default;
};

struct SearchResult {
  enum class Kind : uint8_t {
    kFound,
    kNotFound,
    kInvalidPools,  // Not found, and there are invalid pools.
    kTimedOut,      // Not decided: the budget is used up.
    kError,         // See `error`.
  };
  Kind kind = Kind::kNotFound;
  std::vector<Pick> picks;  // By claim and request.
  // By claim and request: the alternative that was chosen, for those that have some.
  std::vector<std::vector<uint32_t>> alternatives;
  AllocationError error;
  uint64_t work = 0;      // Counted units.
  uint64_t max_work = 0;  // The budget.
};

// What a search of ordinary objects may do beyond its budget, until it notices.
inline constexpr uint64_t kMaxExcess = 50'000;

// The reason why a node is rejected if the result is kTimedOut.
// DIFFERS: kube-scheduler fails the attempt, on all nodes.
inline constexpr std::string_view kUndecided =
    "cannot allocate all claims: not decided within the limit of the search";

}  // namespace berth::scheduler::devices
