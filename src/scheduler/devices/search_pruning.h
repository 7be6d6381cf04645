// SearchPruning leaves out the branches of a hard search that cannot lead to a solution:
//
// - A state that failed is remembered, as far as the rest of the search depends on it. Equal
//   devices are interchangeable in it, and what only earlier requests could use is no part of it.
// - A device is not tried in place of an equal one that has failed.
// - The requests that remain must find as many devices, as many different values of a distinct
//   attribute, and as much of counters and capacities as they need, each taken for itself.
//
// The first solution stays the first. So does the error that is found first: where an expression
// can fail for a device that remains, only the requests before that one are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/string_hash.h"
#include "scheduler/devices/search.h"

namespace berth::scheduler::devices {

class SearchPruning {
 public:
  // For a search that has not picked anything. `search` must outlive this.
  explicit SearchPruning(Search& search) : search_(search) {}

  // Evaluates all selectors. Returns false if the budget is used up.
  bool Prepare();

  // `frame`, the last one, begins to pick a device. Returns its outcome if that is known.
  std::optional<Search::Outcome> Assess(const Search::Frame& frame);
  // The last frame has tried all candidates.
  void NoteFailure();
  // What follows from picking the candidate in the last frame has failed.
  void NoteFailedPick(const Search::Frame& frame, uint32_t candidate);
  // Reports whether an equal candidate has failed in this frame.
  bool IsLikeFailed(const Search::Frame& frame, uint32_t candidate);

 private:
  // A set of requests, by their order in the search; of the first 64 alone. Sums count these.
  using Requests = uint64_t;
  static constexpr uint32_t kMaxCounted = 64;
  static Requests Bit(uint32_t order) {
    return order < kMaxCounted ? Requests{1} << order : Requests{0};
  }

  struct Request {
    uint32_t claim = 0, request = 0;
    int64_t least = 0;   // Devices that it needs.
    bool single = true;  // At most one device, whichever alternative.
  };
  // A counter that candidates draw on, with what each takes, least first.
  struct Counter {
    const Pool* pool = nullptr;
    uint32_t index = 0;
    std::vector<std::pair<double, uint32_t>> uses;
    double sum = 0;     // Of the absolute amounts.
    double weight = 0;  // In loads: 1 by what claims leave of it; 0 if it does not count.
    uint64_t load_round = 0;
  };
  // Exclusive candidates that share counters, directly or by way of others.
  struct Group {
    std::vector<uint32_t> counters;
    std::vector<uint32_t> candidates;
  };
  // The requests all of whose alternatives a constraint applies to, and the order of the last one
  // that it applies to, plus 1.
  struct Range {
    Requests requests = 0;
    uint32_t end = 0;
  };
  // A candidate that remaining requests may pick.
  struct Open {
    uint32_t candidate = 0;
    Requests requests = 0;  // Which of them.
    bool now = false;       // The request of the frame is one.
    bool stays = false;     // Part of the state even if `requests` is empty.
  };

  // --- what does not change ---
  void ListRequests();
  bool Classify();
  bool Classify(uint32_t order, Search::Wanted& wanted);
  void FindRanges();
  void FindCounters();
  void FindGroups();
  void FindKinds();
  std::string KindKeyOf(uint32_t candidate) const;
  bool AreOfOneKind(uint32_t a, uint32_t b) const;
  void FindLeastAmounts();
  bool IsShareable(uint32_t candidate) const {
    return search_.candidate(candidate).device().shareable;
  }

  // --- a frame ---
  // Finds the open candidates. Returns the requests that may fail with an error.
  Requests FindOpen(const Search::Frame& frame, uint32_t order);
  bool HasCounters(uint32_t candidate);
  void ApplyConstraints(const Search::Frame& frame, uint32_t order);
  bool ExceedsClaim(const Search::Frame& frame, uint32_t order, Requests failing) const;
  // Reports whether there may be enough for the requests in `counted`.
  bool Suffices(const Search::Frame& frame, uint32_t order, Requests counted);
  bool HasDevices(Requests counted);
  bool HasEqualValues(uint32_t order, Requests counted);
  bool HasDistinctValues(uint32_t order, Requests counted);
  bool HasSupply(uint32_t order, Requests counted);
  bool HasLoad(Requests counted);
  double SupplyOf(Requests requests);
  double SlotsOf(const Open& open, Requests requests);
  size_t DevicesOf(const Group& group);
  std::string KeyOf(const Search::Frame& frame, uint32_t order);
  uint64_t CodeOf(const Search::Frame& frame, const Open& open);
  void AddConstraints(const Search::Frame& frame, uint32_t order, std::string& key) const;
  void AddCounters(std::string& key);

  Search& search_;
  std::vector<std::vector<uint32_t>> orders_;  // By claim and request.
  std::vector<Request> requests_;
  Requests summed_ = 0;    // Neither for all devices nor with admin access.
  Requests may_fail_ = 0;  // With an error that depends on what was picked.
  Requests admin_ = 0;
  bool has_admin_ = false;
  bool ordered_ = false;                    // The order of devices matters.
  bool negative_ = false;                   // Some device adds to a counter.
  std::vector<std::vector<Range>> ranges_;  // By claim and constraint.

  // By candidate.
  std::vector<uint32_t> kinds_;
  std::vector<uint32_t> last_user_;  // The order of the last request that may pick it, plus 1.
  std::vector<Requests> users_;      // The requests that may pick it.
  std::vector<Requests> failing_;    // Those with an expression that fails for it.
  std::vector<std::vector<uint32_t>> uses_;  // Counters that it draws on, as indices of counters_.
  std::vector<double> loads_;                // What it takes of all counters, each by its weight.
  std::vector<bool> grouped_;
  std::vector<bool> unique_;  // Equal to no other.

  std::vector<Counter> counters_;
  std::vector<Group> groups_;
  // Of shareable candidates, by kind and capacity: the least that a request consumes.
  std::unordered_map<uint32_t, std::vector<double>> least_amounts_;

  std::unordered_set<std::string, StringHash, std::equal_to<>> failed_;
  std::vector<std::string> keys_;  // Of frames, by depth.
  std::unordered_map<std::string, uint32_t, StringHash, std::equal_to<>> share_states_;

  // Of the frame that is assessed.
  std::vector<Open> open_;
  std::vector<bool> is_supply_;  // By candidate of a group.
  std::vector<int64_t> needs_;   // By order.
  uint64_t load_round_ = 0;
};

}  // namespace berth::scheduler::devices
