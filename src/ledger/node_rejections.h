// NodeRejections is who was rejected on which node, and why: the verdicts of all nodes in the last
// searches that failed.
//
// One thread writes, the engine's; any thread may read. Both take a lock for some microseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "ledger/attempt.h"

namespace berth::ledger {

// The verdicts of all nodes in one search.
struct NodeVerdicts {
  struct Verdict {
    std::string plugin;
    std::vector<std::string> reasons;
  };
  static constexpr uint16_t kNone = UINT16_MAX;

  std::vector<uint16_t> by_row;   // Numbers in `verdicts`, or kNone.
  std::vector<Verdict> verdicts;  // Fewer than kNone.
  Verdict absent;                 // Of nodes that were not evaluated; no reasons if there is none.
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

  // A search has failed with these verdicts. `failure` is higher than those before.
  void Add(uint64_t failure, NodeVerdicts verdicts);
  // The pod failed at `time` by that search: its own, or that of an equal pod. Readers see it after
  // the next Publish, or the first Count of another failure: copies that fail one after the other
  // take no lock.
  void Count(uint64_t failure, Instant time, const BasicPodName<std::string_view>& pod);
  void Publish();

  // --- on any thread ---

  struct Report {
    std::vector<Rejection> rejections;  // Most attempts first.
    std::optional<Instant> since;       // Of the first attempt that is covered.
  };
  Report Of(const NodePlace& node) const;
  size_t bytes() const;

 private:
  static constexpr size_t kExamples = 5;
  // How many searches are read with the lock held: some microseconds.
  static constexpr size_t kSlice = 64;

  // Attempts that failed by the same search.
  template <typename Pod>
  struct Failed {
    uint64_t failure = 0;
    uint64_t attempts = 0;
    Instant first, last;
    std::array<Pod, kExamples> pods;  // Of the last attempts, by their number.
  };
  struct Search : Failed<PodName> {
    std::shared_ptr<const NodeVerdicts> verdicts;
    size_t bytes = 0;
  };
  // A name in memory of its own, which is cut to the longest that Kubernetes allows.
  class Name {
   public:
    void Set(std::string_view name) {
      size_ = static_cast<uint8_t>(name.copy(text_.data(), text_.size()));
    }
    std::string Text() const { return {text_.data(), size_}; }

   private:
    static_assert(kMaxNameBytes <= UINT8_MAX);
    uint8_t size_ = 0;
    std::array<char, kMaxNameBytes> text_;
  };
  using ByReason = std::map<std::pair<std::string, std::string>, Rejection>;

  static void AddTo(ByReason& rejections, const Search& search, const NodePlace& node);

  const size_t memory_;
  // Of the engine's thread, which writes names for each attempt, though few are published.
  Failed<BasicPodName<Name>> unpublished_;
  mutable std::mutex mutex_;     // Guards the members below.
  std::deque<Search> searches_;  // By `failure`, which ascends.
  size_t bytes_ = 0;
};

}  // namespace berth::ledger
