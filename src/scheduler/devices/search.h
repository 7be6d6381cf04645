// Search finds devices on one node for all claims of a pod that are not allocated: the first
// solution in kube-scheduler's order.
//
// A depth-first search with backtracking. Most searches fail a few times at most on their way; one
// that fails more often is begun again with SearchPruning, which leaves out what cannot lead to a
// solution. What remains hard ends at the budget: then the result is kTimedOut.
//
// The unit of the budget is the look at one candidate, counter, capacity, constraint or pair of a
// taint and a toleration: some nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/node.h"
#include "base/work_budget.h"
#include "scheduler/devices/allocated_devices.h"
#include "scheduler/devices/constraints.h"
#include "scheduler/devices/gates.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/requests.h"
#include "scheduler/devices/search_result.h"
#include "scheduler/devices/shares.h"

namespace berth::scheduler::devices {

class SearchPruning;

// Devices that one claim may have.
inline constexpr size_t kMaxDevicesOfClaim = 32;
// Bytes of the expressions of all claims together that are compiled: ten of the longest, about 10
// ms. With more of them, nothing is decided.
inline constexpr size_t kMaxSelectorBytes = 100 * 1024;

// SearchMemory is what a search found out about candidates, for the next search for the same claims
// in the same pools, if these are shareable (NodePools).
class SearchMemory {
 public:
  size_t bytes() const {
    size_t bytes = 0;
    for (const Wanted& wanted : wanted_)
      bytes += wanted.known.capacity() + wanted.revisions.capacity() * sizeof(uint64_t);
    return bytes;
  }

 private:
  friend class Search;

  struct Wanted {
    std::vector<uint8_t> known;       // By candidate: see Search::Wanted.
    std::vector<uint64_t> revisions;  // Of its pool, when its capacity was looked at.
  };
  std::vector<Wanted> wanted_;  // By claim, request and alternative.
};

class Search {
 public:
  // Failed picks after which a search is hard.
  static constexpr uint64_t kEasyFailures = 16;

  struct Input {
    const NodePools& pools;
    const api::Node& node;
    std::span<const CompiledClaim* const> claims;
    const AllocatedDevices& allocated;
    const Gates& gates;
    uint64_t max_work = WorkBudget::kUnlimited;
    // Tests compare a search that is pruned at once with one that never is.
    uint64_t easy_failures = kEasyFailures;
    SearchMemory* memory = nullptr;  // Read and updated.
  };
  explicit Search(const Input& input);
  ~Search();

  SearchResult Run();

 private:
  friend class SearchPruning;

  enum class Outcome : uint8_t { kFound, kNo, kExceeded, kError, kTimedOut, kHard };

  // Where a step of the search stands.
  struct Frame {
    uint32_t claim = 0, request = 0, alternative = 0;
    uint32_t picked = 0;   // Devices of the request that earlier frames have picked.
    uint32_t next = 0;     // The candidate to try next; for all devices, unused.
    uint32_t failed = 0;   // How many kinds of failed_ are of earlier frames.
    bool chooses = false;  // Between alternatives; otherwise a device.
    bool entered = false;
    bool all_exceeded = true;
  };
  // An alternative of a request, for one run.
  struct Wanted {
    const CompiledAlternative* compiled = nullptr;
    int64_t count = 0;
    std::vector<uint32_t> all;        // The candidates, if all devices are wanted.
    std::vector<uint8_t> known;       // By candidate: flags of what is known of it.
    std::vector<uint64_t> revisions;  // See SearchMemory; empty without.
    uint32_t amounts = 0;             // Of the requested capacities: see Shares::Register.
  };
  struct Request {
    const CompiledRequest* compiled = nullptr;
    std::vector<Wanted> alternatives;
    int64_t least = 0;  // Devices that it needs.
  };
  struct Claim {
    std::vector<Request> requests;
    std::vector<ConstraintState> constraints;
    size_t picked = 0;
  };
  // What picks take of the counters of a pool.
  struct TakenCounters {
    PoolCounters::Rest rest;
    std::vector<api::Quantity> taken;  // By counter.
  };

  bool Prepare();
  bool PrepareRequest(size_t claim, const CompiledRequest& compiled, Request& request);
  bool PrepareAll(size_t claim, Wanted& wanted);
  size_t ValuesOf(const std::string& attribute);
  void Recall(Wanted& wanted);
  void Remember();
  Outcome Explore();
  void Restart();
  std::optional<Outcome> Advance(uint32_t claim, uint32_t request);
  std::optional<Outcome> Choose(Frame& frame, std::optional<Outcome> returned);
  std::optional<Outcome> PickDevice(Frame& frame, std::optional<Outcome> returned);
  std::optional<Outcome> Enter(Frame& frame);
  std::optional<Outcome> TryCandidates(size_t frame);
  Outcome Return(Outcome outcome);

  bool Spend(uint64_t work) { return budget_.Spend(work); }
  bool timed_out() const { return budget_.exceeded() || too_costly_; }

  const NodePools::Candidate& candidate(uint32_t index) const {
    return input_.pools.candidates[index];
  }
  Claim& claim_of(const Frame& frame) { return claims_[frame.claim]; }
  Wanted& wanted_of(const Frame& frame) {
    return claims_[frame.claim].requests[frame.request].alternatives[frame.alternative];
  }
  bool IsInUse(uint32_t claim, bool admin, uint32_t index) const;
  // Returns nothing if a selector failed, or the budget is used up.
  std::optional<bool> IsSelectable(size_t claim, Wanted& wanted, uint32_t index);
  // `claim` or, for selectors of a class, `device_class` is named in errors.
  std::optional<bool> SelectorsMatch(const std::vector<std::shared_ptr<Selector>>& selectors,
                                     const Device& device, std::optional<size_t> claim,
                                     const api::DeviceClass* device_class);
  bool IsTainted(Wanted& wanted, uint32_t index);
  bool HasCapacity(Wanted& wanted, uint32_t index);
  bool HasCapacityAlone(const Wanted& wanted, const Device& device) const;
  // Picks the candidate, if it can be. Sets the error if a constraint prevents that and `must`.
  bool Allocate(const Frame& frame, uint32_t index, bool must);
  bool AddConstraints(const Frame& frame, uint32_t index);
  void RemoveConstraints(const Frame& frame, size_t number);
  void Deallocate(const Frame& frame);
  TakenCounters& TakenOf(const Pool& pool);
  bool TakeCounters(uint32_t index);
  void GiveBackCounters(uint32_t index);

  const Input input_;
  WorkBudget budget_;
  bool too_costly_ = false;  // An expression is.
  size_t recalled_ = 0;      // How many alternatives were looked up in the memory.
  SearchResult result_;
  std::vector<Claim> claims_;
  std::vector<Frame> frames_;
  std::vector<Pick> picks_;
  uint64_t failures_ = 0;
  std::unique_ptr<SearchPruning> pruning_;  // Once the search is hard.
  std::vector<uint32_t> failed_;            // Kinds of candidates that failed, by frame.

  std::vector<AttributeValues> values_;  // Of attributes that constraints are about.
  std::vector<uint32_t> marks_;          // By candidate: how many picks are exclusive.
  Shares shares_;
  std::unordered_map<const Pool*, TakenCounters> counters_;
  std::vector<bool> took_counters_;  // By pick.
};

}  // namespace berth::scheduler::devices
