// NodeRejections is who was rejected on which node, and why: the verdicts of all nodes in the last
// searches that failed.
//
// One thread writes, the engine's; any thread may read. Both take a lock for some microseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "ledger/attempt.h"

namespace berth::ledger {

// The verdicts of all nodes in one search.
struct NodeVerdicts {
  // A node that was not evaluated. Also of nodes beyond 65,534 different verdicts.
  static constexpr uint16_t kNone = UINT16_MAX;
  struct Verdict {
    std::string plugin;
    std::vector<std::string> reasons;
  };

  std::vector<uint16_t> by_row;  // Numbers in `verdicts`.
  std::vector<Verdict> verdicts;
  // Nodes got their rows before the search if their serial is lower (model::NodeInfo::serial).
  uint64_t next_serial = 0;

  size_t bytes() const;
};

// Where the model has a node: model::NodeInfo::serial tells the nodes apart that had the row.
struct NodePlace {
  uint32_t row = 0;
  uint64_t serial = 0;
};

struct Rejection {
  std::string plugin, reason;
  uint64_t attempts = 0;
  Instant last;                   // By the wall clock.
  std::vector<PodName> examples;  // The last few pods, newest first, each once.
  friend bool operator==(const Rejection&, const Rejection&) = default;
};

class NodeRejections {
 public:
  // Searches leave, oldest first, if all of them together need more bytes than `memory`.
  explicit NodeRejections(size_t memory) : memory_(memory) {}

  // --- on the engine's thread ---

  // A search has failed with these verdicts. `failure` has not been used before.
  void Add(uint64_t failure, NodeVerdicts verdicts);
  // The pod failed at `time` by that search: its own, or that of an equal pod.
  void Count(uint64_t failure, Instant time, const BasicPodName<std::string_view>& pod);

  // --- on any thread ---

  struct Report {
    std::vector<Rejection> rejections;  // Most attempts first.
    std::optional<Instant> since;       // Of the first attempt that is covered.
  };
  Report Of(const NodePlace& node) const;
  size_t bytes() const;

 private:
  static constexpr size_t kExamples = 5;

  struct Search {
    uint64_t failure = 0;
    std::shared_ptr<const NodeVerdicts> verdicts;
    uint64_t attempts = 0;
    Instant first, last;
    std::deque<PodName> examples;  // Oldest first.
    size_t bytes = 0;
  };

  Search* Find(uint64_t failure);

  const size_t memory_;
  mutable std::mutex mutex_;     // Guards the members below.
  std::deque<Search> searches_;  // By `failure`, which ascends.
  size_t bytes_ = 0;
};

}  // namespace berth::ledger
