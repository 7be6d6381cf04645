// Search finds devices on one node for all claims of a pod that are not allocated: the first
// solution in kube-scheduler's order.
//
// A depth-first search with backtracking. It takes the same decisions as an exhaustive one, and
// evaluates the same selectors, but does not try a device in place of an equivalent one that has
// failed, and remembers requests that cannot be met whatever is picked for others: many equal
// devices and a request that cannot be met take a few steps, not exponentially many. What remains
// hard ends at a limit of steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/node.h"
#include "scheduler/devices/allocated_devices.h"
#include "scheduler/devices/constraints.h"
#include "scheduler/devices/gates.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/requests.h"

namespace berth::scheduler::devices {

// Devices that one claim may have.
inline constexpr size_t kMaxDevicesOfClaim = 32;

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
    kTimedOut,      // The limit of steps was reached.
    kError,         // See `error`.
  };
  Kind kind = Kind::kNotFound;
  std::vector<Pick> picks;  // By claim and request.
  // By claim and request: the alternative that was chosen, for those that have some.
  std::vector<std::vector<uint32_t>> alternatives;
  AllocationError error;
  uint64_t steps = 0;
};

class Search {
 public:
  struct Input {
    const NodePools& pools;
    const api::Node& node;
    std::span<const CompiledClaim* const> claims;
    const AllocatedDevices& allocated;
    const Gates& gates;
    uint64_t max_steps = UINT64_MAX;
  };
  explicit Search(const Input& input);

  SearchResult Run();

 private:
  enum class Outcome : uint8_t { kFound, kNo, kExceeded, kError, kTimedOut };

  // Where a step of the search stands.
  struct Frame {
    uint32_t claim = 0, request = 0, alternative = 0;
    uint32_t picked = 0;   // Devices of the request that earlier frames have picked.
    uint32_t next = 0;     // The candidate to try next; for all devices, unused.
    uint32_t failed = 0;   // How many candidates of failed_ are of earlier frames.
    bool chooses = false;  // Between alternatives; otherwise a device.
    bool entered = false;
    bool all_exceeded = true;
  };
  // An alternative of a request, for one run.
  struct Wanted {
    const CompiledAlternative* compiled = nullptr;
    int64_t count = 0;
    std::vector<uint32_t> all;        // The candidates, if all devices are wanted.
    std::vector<uint8_t> selectable;  // By candidate: unknown, no or yes.

    // Of the attempt to meet it that is under way: the candidates that other picks of this run keep
    // from it, and whether other things that picks change matter, too.
    std::vector<uint32_t> kept_by_picks;
    bool depends_on_more = false;
    // If it cannot be met while these are in use, as far as it may select them at all.
    std::optional<std::vector<uint32_t>> impossible_without;
  };
  struct Request {
    const CompiledRequest* compiled = nullptr;
    std::vector<Wanted> alternatives;
  };
  struct Claim {
    std::vector<Request> requests;
    std::vector<ConstraintState> constraints;
    size_t picked = 0;
  };

  bool Prepare();
  bool PrepareRequest(size_t claim, const CompiledRequest& compiled, Request& request,
                      int64_t& least);
  bool PrepareAll(size_t claim, Wanted& wanted);
  Outcome Explore();
  std::optional<Outcome> Advance(uint32_t claim, uint32_t request);
  std::optional<Outcome> Choose(Frame& frame, std::optional<Outcome> returned);
  std::optional<Outcome> PickDevice(Frame& frame, std::optional<Outcome> returned);
  std::optional<Outcome> TryCandidates(size_t frame);
  Outcome Return(Outcome outcome);
  bool SpendSteps(uint64_t steps) {
    result_.steps += steps;
    return result_.steps <= input_.max_steps;
  }

  const NodePools::Candidate& candidate(uint32_t index) const {
    return input_.pools.candidates[index];
  }
  bool IsInUse(uint32_t claim, bool admin, uint32_t index) const;
  std::optional<bool> IsSelectable(size_t claim, Wanted& wanted, uint32_t index);
  // `claim` or, for selectors of a class, `device_class` is named in errors.
  std::optional<bool> SelectorsMatch(const std::vector<std::shared_ptr<Selector>>& selectors,
                                     const Device& device, std::optional<size_t> claim,
                                     const api::DeviceClass* device_class);
  bool HasCapacity(const Wanted& wanted, uint32_t index) const;
  // Picks the candidate, if it can be. Sets the error if a constraint prevents that and `must`.
  bool Allocate(const Frame& frame, uint32_t index, bool must);
  static bool IsKnownNotToSelect(const Wanted& wanted, uint32_t index);
  bool FailsAgain(const Wanted& wanted);
  void RememberFailure(Wanted& wanted) const;
  bool AddConstraints(const Frame& frame, const Device& device);
  void RemoveConstraints(const Frame& frame, size_t number);
  void Deallocate(const Frame& frame);
  bool TakeCounters(uint32_t index);
  void GiveBackCounters(uint32_t index);
  bool IsLikeFailed(const Frame& frame, uint32_t index);
  uint32_t KindOf(uint32_t index);
  bool AreOfOneKind(uint32_t a, uint32_t b) const;
  bool AreSelectedAlike(const Frame& frame, uint32_t a, uint32_t b) const;
  bool IsTouched(uint32_t index) const;

  const Input input_;
  SearchResult result_;
  std::vector<Claim> claims_;
  std::vector<Frame> frames_;
  std::vector<Pick> picks_;
  std::vector<uint32_t> failed_;  // Candidates that failed, by frame.
  bool has_distinct_ = false;
  std::vector<uint32_t> kinds_;    // A candidate of each kind.
  std::vector<uint32_t> kind_of_;  // By candidate; empty until it is needed.

  std::vector<uint32_t> marks_;  // By candidate: how many picks are exclusive.
  // What picks of this run have consumed of shareable candidates; an entry may be empty.
  std::unordered_map<uint32_t, std::vector<api::QuantityMap>> shares_;
  std::unordered_map<const Pool*, std::vector<api::Quantity>> counters_;
  std::vector<bool> took_counters_;  // By pick.
};

}  // namespace berth::scheduler::devices
