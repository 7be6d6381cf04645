// UsageIndex finds the best of many nodes without evaluating each: nodes that are used alike are
// together in a chunk, chunks in blocks, blocks in regions, and only those that may have the winner
// are looked at.
//
// The result is exactly that of evaluating every node. Cost: the bounds of all regions (one for
// some 200,000 nodes), of the blocks of promising regions (one for some 3,000 nodes), of the chunks
// of promising blocks (one for some 45 nodes), and of the nodes of promising chunks, of which few
// are evaluated. Nodes are ordered by usage, and those of equal usage by rank, so that of many
// equals only those around the winner are looked at. Inserting and removing are O(log n).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/framework/conditions.h"
#include "scheduler/framework/usage_bound.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::framework {

class UsageIndex {
 public:
  struct Entry {
    model::NodeRow row;
    uint32_t rank = 0;  // In node order; each entry has its own.
    NodeUsage usage{};
  };
  // Determines the place of an entry, together with its rank.
  using Key = uint32_t;
  static Key KeyOf(const NodeUsage& usage);

  UsageIndex() { Load({}); }

  // Replaces all entries.
  void Load(std::span<const Entry> entries);
  void Insert(const Entry& entry);
  // `key` is that with which the entry was inserted.
  void Remove(Key key, const Entry& entry);
  size_t size() const { return size_; }
  size_t bytes() const;
  // Any of the rows. There must be one.
  model::NodeRow any() const;

  struct Found {
    int32_t score = -1;  // None if it is negative.
    uint32_t distance = 0;
    model::NodeRow row;

    // Higher scores win; among equals the first from the start on.
    bool LosesTo(int32_t other_score, uint32_t other_distance) const {
      return other_score > score || (other_score == score && other_distance < distance);
    }
  };
  // Returns on how many of the nodes the pod fits. Calls `fits` for those whose usage does not
  // decide it; ScoreBound::decides_fit must be true.
  using Fits = std::function<bool(model::NodeRow)>;
  size_t CountFitting(const ScoreBound& pod, const Fits& fits) const;
  // The highest score that the pod can get on one of the nodes; negative if it fits on none.
  int32_t HighestScore(const ScoreBound& pod);
  // Returns the exact score of a node; negative if the pod does not fit on it. At most its bound.
  using Evaluate = std::function<int32_t(model::NodeRow)>;
  // Returns the row with the highest score of those that pass all of `conditions`, and among equals
  // the first by rank from `start` on, around the end; or `other`, if that is better. It looks into
  // `most_chunks` chunks and subtracts them; if none is left, the result is void.
  Found Best(const ScoreBound& pod, std::span<const RowCondition> conditions, uint32_t start,
             const Evaluate& evaluate, const Found& other, size_t& most_chunks);

 private:
  static constexpr size_t kCapacity = 64;
  // A chunk with fewer entries joins its neighbour, if they leave space for more.
  static constexpr size_t kFew = 12;
  static constexpr size_t kMany = 48;
  static constexpr size_t kChunksPerBlock = 64;
  static constexpr size_t kLoadedPerBlock = 48;  // The others are left for chunks that are split.
  static constexpr size_t kBlocksPerRegion = kChunksPerBlock;

  // The usages and ranks of some entries: a cache line.
  struct Range {
    NodeUsage low, high;
    uint32_t lowest_rank, highest_rank;

    static Range Empty();
    // Adds an entry. Returns false if that changes nothing.
    bool Widen(const NodeUsage& usage, uint32_t rank);
  };

  // In no particular order.
  struct Chunk {
    // A copy of what `parts_` has, where each number is in a cache line of its own: most entries
    // come and go without changing it.
    alignas(64) Range range = Range::Empty();
    size_t size = 0;
    uint64_t first = 0;  // All entries from here on, up to that of the next chunk, are in this one.
    alignas(32) std::array<std::array<float, kCapacity>, kUsageColumns> usage;
    std::array<uint32_t, kCapacity> rank;
    std::array<Key, kCapacity> key;
    std::array<model::NodeRow, kCapacity> row;

    uint64_t PlaceOf(size_t i) const { return Place(key[i], rank[i]); }
    void Append(Key entry_key, const Entry& entry);
    NodeUsage UsageAt(size_t i) const;
    void MoveTo(Chunk& to, size_t i);
    void Erase(size_t i);
  };

  // What is known of parts (chunks, blocks or regions) without looking inside.
  struct Parts {
    std::array<std::vector<float>, kUsageColumns> low, high;
    std::vector<uint32_t> lowest_rank, highest_rank;
    std::vector<uint32_t> entries;  // How many it has.
    std::vector<int32_t> bounds;    // Of the current search.

    size_t size() const { return bounds.size(); }
    void Resize(size_t size);
    // Compute the range of a column of a part, or the range of its ranks and the number of its
    // entries, from those that it consists of, of which `below` has kChunksPerBlock for each.
    void JoinRange(const Parts& below, size_t part, size_t column);
    void JoinRanks(const Parts& below, size_t part);
    Range range(size_t part) const;
    void SetRange(size_t part, const Range& range);
    // The ranges of the parts from `first` on.
    UsageRanges ranges(size_t first) const;
    // Computes the bounds of `count` parts, and calls visit(part) for each that may have a better
    // node than `best`, which `visit` updates: promising ones first. Stops when `visit` returns
    // false, and returns that.
    template <typename Visit>
    bool VisitPromising(const ScoreBound& pod, size_t first, size_t count, uint32_t start,
                        const Found& best, Visit&& visit);
  };

  // Those of each of its entries.
  static UsageRanges RangesOf(const Chunk& chunk);
  static uint64_t Place(Key key, uint32_t rank) { return uint64_t{key} << 32 | rank; }
  uint32_t ChunkAt(uint64_t place) const;
  // Adds a chunk to a block, which has space for it.
  uint32_t AddChunk(size_t block, uint64_t first);
  size_t AddBlock();
  void RemoveChunk(uint32_t id);
  void Split(uint32_t id);
  void SplitBlock(size_t block);
  void JoinIfFew(uint32_t id);
  // Compute the ranges and the number of entries of a chunk, of its block and of its region: all,
  // the ranges of a column, or those of ranks and the number.
  void UpdateRanges(uint32_t id);
  void UpdateRange(uint32_t id, size_t column);
  void UpdateRanks(uint32_t id);
  static void VisitChunk(const Chunk& chunk, const ScoreBound& pod,
                         std::span<const RowCondition> conditions, uint32_t start,
                         const Evaluate& evaluate, Found& best);

  size_t size_ = 0;
  std::map<uint64_t, uint32_t> by_place_;       // Chunks by `first`; the first chunk has 0.
  std::vector<std::unique_ptr<Chunk>> chunks_;  // kChunksPerBlock of each block; some are null.
  std::vector<uint64_t> used_;                  // By block: which of its chunks there are.
  std::vector<size_t> unused_blocks_;
  Parts parts_;  // The chunks.
  // Those of a block are neighbours, so that they are used alike. There may be some more, which are
  // empty.
  Parts blocks_;
  Parts regions_;  // Likewise.
};

}  // namespace berth::scheduler::framework
