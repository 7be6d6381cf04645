#include "scheduler/framework/usage_index.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "scheduler/framework/kernels.h"

namespace berth::scheduler::framework {
namespace {

// Usages that differ by less than a thousandth are the same.
constexpr uint32_t kSteps = 1023;

uint32_t StepOf(float usage) {
  return static_cast<uint32_t>(std::clamp(usage, 0.0F, 1.0F) * static_cast<float>(kSteps));
}

// Spreads the bits: every second one is from `step`.
uint32_t Spread(uint32_t step) {
  step = (step | (step << 8)) & 0x00FF00FF;
  step = (step | (step << 4)) & 0x0F0F0F0F;
  step = (step | (step << 2)) & 0x33333333;
  return (step | (step << 1)) & 0x55555555;
}

// Returns a power of two that is near the size of a node: the exponent of the share of one unit.
uint32_t SizeOf(float per_unit) {
  if (per_unit <= 0) return 0;
  constexpr int32_t kBias = 127, kFractionBits = 23;
  const auto exponent = std::bit_cast<int32_t>(per_unit) >> kFractionBits;
  return static_cast<uint32_t>(std::clamp(kBias - exponent, 0, 63));
}

}  // namespace

// Nodes of one size are together, and of those the ones whose cpu and memory are used alike: the
// bits of both alternate.
UsageIndex::Key UsageIndex::KeyOf(const NodeUsage& usage) {
  const uint32_t size = SizeOf(usage[kPerCpu]) * 64 + SizeOf(usage[kPerMemory]);
  return size << 20 | Spread(StepOf(usage[kCpuUsage])) << 1 | Spread(StepOf(usage[kMemoryUsage]));
}

UsageIndex::Range UsageIndex::Range::Empty() {
  Range range{.low = {}, .high = {}, .lowest_rank = UINT32_MAX, .highest_rank = 0};
  range.low.fill(kNoneFits);
  return range;
}

bool UsageIndex::Range::Widen(const NodeUsage& usage, uint32_t rank) {
  bool wider = rank < lowest_rank || rank > highest_rank;
  for (size_t column = 0; column < kUsageColumns; ++column) {
    wider |= usage[column] < low[column] || usage[column] > high[column];
    low[column] = std::min(low[column], usage[column]);
    high[column] = std::max(high[column], usage[column]);
  }
  lowest_rank = std::min(lowest_rank, rank);
  highest_rank = std::max(highest_rank, rank);
  return wider;
}

void UsageIndex::Chunk::Append(Key entry_key, const Entry& entry) {
  for (size_t column = 0; column < kUsageColumns; ++column)
    usage[column][size] = entry.usage[column];
  key[size] = entry_key;
  rank[size] = entry.rank;
  row[size] = entry.row;
  ++size;
}

NodeUsage UsageIndex::Chunk::UsageAt(size_t i) const {
  NodeUsage of_entry{};
  for (size_t column = 0; column < kUsageColumns; ++column) of_entry[column] = usage[column][i];
  return of_entry;
}

void UsageIndex::Chunk::MoveTo(Chunk& to, size_t i) {
  to.Append(key[i], {row[i], rank[i], UsageAt(i)});
}

void UsageIndex::Chunk::Erase(size_t i) {
  --size;
  for (auto& column : usage) column[i] = column[size];
  key[i] = key[size];
  rank[i] = rank[size];
  row[i] = row[size];
}

namespace {

// Bounds are computed for so many at once, and the rest one by one: a few more that nobody reads
// cost less.
constexpr size_t kBoundsAtOnce = 8;

size_t RoundedUp(size_t count) {
  return (count + kBoundsAtOnce - 1) / kBoundsAtOnce * kBoundsAtOnce;
}

}  // namespace

void UsageIndex::Parts::Resize(size_t size) {
  for (std::vector<float>& column : low) column.resize(size, kNoneFits);
  for (std::vector<float>& column : high) column.resize(size);
  lowest_rank.resize(size, UINT32_MAX);
  highest_rank.resize(size);
  entries.resize(size);
  bounds.resize(size);
}

UsageRanges UsageIndex::Parts::ranges(size_t first) const {
  UsageRanges ranges{};
  for (size_t column = 0; column < kUsageColumns; ++column) {
    ranges.low[column] = low[column].data() + first;
    ranges.high[column] = high[column].data() + first;
  }
  return ranges;
}

UsageRanges UsageIndex::RangesOf(const Chunk& chunk) {
  UsageRanges nodes{};
  for (size_t column = 0; column < kUsageColumns; ++column)
    nodes.low[column] = nodes.high[column] = chunk.usage[column].data();
  return nodes;
}

void UsageIndex::Load(std::span<const Entry> entries) {
  std::vector<std::pair<uint64_t, uint32_t>> order(entries.size());
  for (size_t i = 0; i < entries.size(); ++i)
    order[i] = {Place(KeyOf(entries[i].usage), entries[i].rank), static_cast<uint32_t>(i)};
  std::ranges::sort(order);
  by_place_.clear();
  chunks_.clear();
  used_.clear();
  unused_blocks_.clear();
  parts_ = {};
  blocks_ = {};
  regions_ = {};
  size_ = entries.size();
  size_t block = AddBlock();
  uint32_t id = AddChunk(block, 0);
  for (const auto& [place, i] : order) {
    if (chunks_[id]->size == kMany) {
      UpdateRanges(id);
      if (std::popcount(used_[block]) == kLoadedPerBlock) block = AddBlock();
      id = AddChunk(block, place);
    }
    chunks_[id]->Append(static_cast<Key>(place >> 32), entries[i]);
  }
  UpdateRanges(id);
}

uint32_t UsageIndex::ChunkAt(uint64_t place) const {
  return std::prev(by_place_.upper_bound(place))->second;
}

uint32_t UsageIndex::AddChunk(size_t block, uint64_t first) {
  const auto slot = static_cast<size_t>(std::countr_one(used_[block]));
  const auto id = static_cast<uint32_t>(block * kChunksPerBlock + slot);
  used_[block] |= uint64_t{1} << slot;
  chunks_[id] = std::make_unique<Chunk>();
  chunks_[id]->first = first;
  by_place_.emplace(first, id);
  return id;
}

size_t UsageIndex::AddBlock() {
  if (!unused_blocks_.empty()) {
    const size_t block = unused_blocks_.back();
    unused_blocks_.pop_back();
    return block;
  }
  const size_t block = used_.size();
  used_.push_back(0);
  chunks_.resize(used_.size() * kChunksPerBlock);
  parts_.Resize(chunks_.size());
  blocks_.Resize(RoundedUp(used_.size()));
  regions_.Resize(RoundedUp(block / kBlocksPerRegion + 1));
  return block;
}

// The chunk is empty.
void UsageIndex::RemoveChunk(uint32_t id) {
  const size_t block = id / kChunksPerBlock;
  by_place_.erase(chunks_[id]->first);
  chunks_[id] = nullptr;
  used_[block] &= ~(uint64_t{1} << id % kChunksPerBlock);
  UpdateRanges(id);
  if (used_[block] == 0) unused_blocks_.push_back(block);
}

namespace {

struct RankRange {
  uint32_t lowest = UINT32_MAX;
  uint32_t highest = 0;
};

RankRange RangeOfRanks(std::span<const uint32_t> lowest, std::span<const uint32_t> highest) {
  RankRange range;
  for (size_t i = 0; i < lowest.size(); ++i) {
    range.lowest = std::min(range.lowest, lowest[i]);
    range.highest = std::max(range.highest, highest[i]);
  }
  return range;
}

}  // namespace

void UsageIndex::Parts::JoinRange(const Parts& below, size_t part, size_t column) {
  const size_t first = part * kChunksPerBlock;
  const size_t count = std::min(kChunksPerBlock, below.size() - first);
  low[column][part] = RangeOf(std::span(below.low[column]).subspan(first, count)).lowest;
  high[column][part] = RangeOf(std::span(below.high[column]).subspan(first, count)).highest;
}

void UsageIndex::Parts::JoinRanks(const Parts& below, size_t part) {
  const size_t first = part * kChunksPerBlock;
  const size_t count = std::min(kChunksPerBlock, below.size() - first);
  const RankRange range = RangeOfRanks(std::span(below.lowest_rank).subspan(first, count),
                                       std::span(below.highest_rank).subspan(first, count));
  lowest_rank[part] = range.lowest;
  highest_rank[part] = range.highest;
  const auto of_below = std::span(below.entries).subspan(first, count);
  entries[part] = std::accumulate(of_below.begin(), of_below.end(), 0U);
}

UsageIndex::Range UsageIndex::Parts::range(size_t part) const {
  Range range{
      .low = {}, .high = {}, .lowest_rank = lowest_rank[part], .highest_rank = highest_rank[part]};
  for (size_t column = 0; column < kUsageColumns; ++column) {
    range.low[column] = low[column][part];
    range.high[column] = high[column][part];
  }
  return range;
}

void UsageIndex::Parts::SetRange(size_t part, const Range& range) {
  for (size_t column = 0; column < kUsageColumns; ++column) {
    low[column][part] = range.low[column];
    high[column][part] = range.high[column];
  }
  lowest_rank[part] = range.lowest_rank;
  highest_rank[part] = range.highest_rank;
}

void UsageIndex::UpdateRanges(uint32_t id) {
  for (size_t column = 0; column < kUsageColumns; ++column) UpdateRange(id, column);
  UpdateRanks(id);
}

void UsageIndex::UpdateRange(uint32_t id, size_t column) {
  ShareRange now{kNoneFits, 0};
  if (Chunk* const chunk = chunks_[id].get()) {
    if (chunk->size > 0) now = RangeOf(std::span(chunk->usage[column]).first(chunk->size));
    chunk->range.low[column] = now.lowest;
    chunk->range.high[column] = now.highest;
  }
  const float low = std::exchange(parts_.low[column][id], now.lowest);
  const float high = std::exchange(parts_.high[column][id], now.highest);
  const size_t block = id / kChunksPerBlock;
  const float block_low = blocks_.low[column][block], block_high = blocks_.high[column][block];
  // A block remains as it is if the chunk was, and is, not at the ends of its range.
  if (low != block_low && high != block_high && now.lowest >= block_low &&
      now.highest <= block_high)
    return;
  blocks_.JoinRange(parts_, block, column);
  if (blocks_.low[column][block] != block_low || blocks_.high[column][block] != block_high)
    regions_.JoinRange(blocks_, block / kBlocksPerRegion, column);
}

void UsageIndex::UpdateRanks(uint32_t id) {
  RankRange of_chunk;
  parts_.entries[id] = 0;
  if (Chunk* const chunk = chunks_[id].get()) {
    const auto ranks = std::span(chunk->rank).first(chunk->size);
    of_chunk = RangeOfRanks(ranks, ranks);
    chunk->range.lowest_rank = of_chunk.lowest;
    chunk->range.highest_rank = of_chunk.highest;
    parts_.entries[id] = static_cast<uint32_t>(chunk->size);
  }
  parts_.lowest_rank[id] = of_chunk.lowest;
  parts_.highest_rank[id] = of_chunk.highest;
  const size_t block = id / kChunksPerBlock;
  blocks_.JoinRanks(parts_, block);
  regions_.JoinRanks(blocks_, block / kBlocksPerRegion);
}

// Moves the upper half of the block, which is full, to another one.
void UsageIndex::SplitBlock(size_t block) {
  std::array<uint32_t, kChunksPerBlock> ids;
  std::iota(ids.begin(), ids.end(), static_cast<uint32_t>(block * kChunksPerBlock));
  std::ranges::nth_element(ids, ids.begin() + kChunksPerBlock / 2, {},
                           [&](uint32_t id) { return chunks_[id]->first; });
  const size_t added = AddBlock();
  for (const uint32_t id : std::span(ids).subspan(kChunksPerBlock / 2)) {
    std::unique_ptr<Chunk> moved = std::move(chunks_[id]);
    const uint64_t first = moved->first;
    by_place_.erase(first);
    used_[block] &= ~(uint64_t{1} << id % kChunksPerBlock);
    UpdateRanges(id);
    const uint32_t to = AddChunk(added, first);
    chunks_[to] = std::move(moved);
    UpdateRanges(to);
  }
}

// Moves the upper half of the chunk to a new one.
void UsageIndex::Split(uint32_t id) {
  std::array<uint64_t, kCapacity> places;
  for (size_t i = 0; i < kCapacity; ++i) places[i] = chunks_[id]->PlaceOf(i);
  std::array<uint64_t, kCapacity> sorted = places;
  std::ranges::nth_element(sorted, sorted.begin() + kCapacity / 2);
  const uint64_t middle = sorted[kCapacity / 2];
  const size_t block = id / kChunksPerBlock;
  const uint32_t added = AddChunk(block, middle);
  Chunk& from = *chunks_[id];
  Chunk& to = *chunks_[added];
  for (size_t i = kCapacity; i-- > 0;) {
    if (places[i] < middle) continue;
    from.MoveTo(to, i);
    from.Erase(i);
  }
  UpdateRanges(id);
  UpdateRanges(added);
}

void UsageIndex::JoinIfFew(uint32_t id) {
  Chunk& chunk = *chunks_[id];
  if (chunk.size > kFew || chunk.first == 0) return;
  const auto place = by_place_.find(chunk.first);
  const uint32_t before = std::prev(place)->second;
  Chunk& neighbour = *chunks_[before];
  if (neighbour.size + chunk.size > kMany) return;
  for (size_t i = 0; i < chunk.size; ++i) chunk.MoveTo(neighbour, i);
  RemoveChunk(id);
  UpdateRanges(before);
}

void UsageIndex::Insert(const Entry& entry) {
  const Key key = KeyOf(entry.usage);
  const uint64_t place = Place(key, entry.rank);
  uint32_t id = ChunkAt(place);
  if (chunks_[id]->size == kCapacity) {
    const size_t block = id / kChunksPerBlock;
    if (used_[block] == UINT64_MAX) {
      SplitBlock(block);
      id = ChunkAt(place);
    }
    Split(id);
    id = ChunkAt(place);
  }
  Chunk& chunk = *chunks_[id];
  chunk.Append(key, entry);
  const size_t block = id / kChunksPerBlock, region = block / kBlocksPerRegion;
  if (chunk.range.Widen(entry.usage, entry.rank)) {
    parts_.SetRange(id, chunk.range);
    Range of_block = blocks_.range(block);
    if (of_block.Widen(entry.usage, entry.rank)) {
      blocks_.SetRange(block, of_block);
      Range of_region = regions_.range(region);
      if (of_region.Widen(entry.usage, entry.rank)) regions_.SetRange(region, of_region);
    }
  }
  ++parts_.entries[id];
  ++blocks_.entries[block];
  ++regions_.entries[region];
  ++size_;
}

void UsageIndex::Remove(Key key, const Entry& entry) {
  const uint32_t id = ChunkAt(Place(key, entry.rank));
  Chunk& chunk = *chunks_[id];
  const auto rows = std::span(chunk.row).first(chunk.size);
  const auto found = std::ranges::find(rows, entry.row);
  CHECK(found != rows.end());
  const auto at = static_cast<size_t>(found - rows.begin());
  const NodeUsage usage = chunk.UsageAt(at);
  chunk.Erase(at);
  --parts_.entries[id];
  --blocks_.entries[id / kChunksPerBlock];
  --regions_.entries[id / kChunksPerBlock / kBlocksPerRegion];
  // Ranges become narrower only if the entry was at one end of them.
  for (size_t column = 0; column < kUsageColumns; ++column) {
    const float low = chunk.range.low[column], high = chunk.range.high[column];
    const bool at_end = usage[column] == low || usage[column] == high;
    if (at_end && (low != high || chunk.size == 0)) UpdateRange(id, column);
  }
  if (entry.rank == chunk.range.lowest_rank || entry.rank == chunk.range.highest_rank)
    UpdateRanks(id);
  JoinIfFew(id);
  --size_;
}

model::NodeRow UsageIndex::any() const {
  for (const auto& chunk : chunks_) {
    if (chunk != nullptr && chunk->size > 0) return chunk->row[0];
  }
  return {};
}

size_t UsageIndex::bytes() const {
  constexpr size_t kOfSlot = sizeof(chunks_[0]) + 2 * kUsageColumns * sizeof(float) + 12;
  constexpr size_t kOfChunk = sizeof(Chunk) + 80;
  return sizeof(*this) + chunks_.size() * kOfSlot + by_place_.size() * kOfChunk;
}

namespace {

// Returns the distance from `start` of the nearest of some ranks that are in this range.
uint32_t NearestIn(uint32_t lowest, uint32_t highest, uint32_t start) {
  const bool around = lowest < start && highest >= start;
  return around ? 0 : lowest - start;  // Ranks before `start` are far away.
}

}  // namespace

template <typename Visit>
bool UsageIndex::Parts::VisitPromising(const ScoreBound& pod, size_t first, size_t count,
                                       uint32_t start, const Found& best, Visit&& visit) {
  const std::span<int32_t> bound = std::span(bounds).subspan(first, count);
  const auto lowest = std::span<const uint32_t>(lowest_rank).subspan(first, count);
  const auto highest = std::span<const uint32_t>(highest_rank).subspan(first, count);
  BoundScores(pod, ranges(first), bound);
  // A good node to compare the others with: from the nearest part with the highest bound, and if
  // that was too high, from the next ones.
  constexpr size_t kTries = 4;
  for (size_t i = 0; i < kTries; ++i) {
    const int32_t top = HighestOf(bound);
    if (top <= best.score) break;
    const uint32_t nearest = FirstRankAt(bound, lowest, start, top);
    size_t part = 0;
    while (bound[part] != top || lowest[part] != nearest) ++part;
    bound[part] = -1;
    if (!visit(first + part)) return false;
  }
  for (size_t part = 0; part < count; ++part) {
    if (bound[part] < 0 || bound[part] < best.score) continue;
    if (!best.LosesTo(bound[part], NearestIn(lowest[part], highest[part], start))) continue;
    bound[part] = -1;
    if (!visit(first + part)) return false;
  }
  return true;
}

namespace {

enum class Fitting : uint8_t { kNone, kUnclear, kAll };

// Reports whether the pod fits on the nodes of group `i`.
Fitting FittingOf(const ScoreBound& pod, const UsageRanges& in, size_t i) {
  // Less than 1 by more than what floats round.
  constexpr float kClearlyBelow = 0.99999F;
  const auto usage = [](const auto& ends, UsageColumn used, UsageColumn per, float amount,
                        size_t at) { return ends[used][at] + amount * ends[per][at]; };
  if (usage(in.low, kCpuUsage, kPerCpu, pod.cpu, i) > pod.cpu_limit ||
      usage(in.low, kMemoryUsage, kPerMemory, pod.memory, i) > pod.memory_limit)
    return Fitting::kNone;
  const auto limit = [](float most) { return most == ScoreBound::kAll ? kClearlyBelow : most; };
  // A node that lacks a resource counts as unused.
  const bool all =
      in.low[kPerCpu][i] > 0 && in.low[kPerMemory][i] > 0 &&
      usage(in.high, kCpuUsage, kPerCpu, pod.cpu, i) <= limit(pod.cpu_limit) &&
      usage(in.high, kMemoryUsage, kPerMemory, pod.memory, i) <= limit(pod.memory_limit);
  return all ? Fitting::kAll : Fitting::kUnclear;
}

}  // namespace

size_t UsageIndex::CountFitting(const ScoreBound& pod, const Fits& fits) const {
  size_t count = 0;
  // Counts those of one part, or passes it on to be looked into.
  const auto add = [&](const Parts& parts, const UsageRanges& ranges, size_t part, auto&& look) {
    if (parts.entries[part] == 0) return;
    const Fitting fitting = FittingOf(pod, ranges, part);
    if (fitting == Fitting::kAll) count += parts.entries[part];
    if (fitting == Fitting::kUnclear) look(part);
  };
  const auto look_into_chunk = [&](size_t id) {
    const Chunk& chunk = *chunks_[id];
    const UsageRanges nodes = RangesOf(chunk);
    for (size_t i = 0; i < chunk.size; ++i) {
      const Fitting fitting = FittingOf(pod, nodes, i);
      const bool unclear = fitting == Fitting::kUnclear;
      count += unclear ? fits(chunk.row[i]) : fitting == Fitting::kAll;
    }
  };
  const UsageRanges of_regions = regions_.ranges(0), of_blocks = blocks_.ranges(0),
                    of_chunks = parts_.ranges(0);
  const auto look_into_block = [&](size_t block) {
    const size_t first = block * kChunksPerBlock;
    for (size_t id = first; id < first + kChunksPerBlock; ++id)
      add(parts_, of_chunks, id, look_into_chunk);
  };
  const auto look_into_region = [&](size_t region) {
    const size_t first = region * kBlocksPerRegion;
    for (size_t block = first; block < std::min(first + kBlocksPerRegion, used_.size()); ++block)
      add(blocks_, of_blocks, block, look_into_block);
  };
  for (size_t region = 0; region < regions_.size(); ++region)
    add(regions_, of_regions, region, look_into_region);
  return count;
}

int32_t UsageIndex::HighestScore(const ScoreBound& pod) {
  BoundScores(pod, blocks_.ranges(0), blocks_.bounds);
  return HighestOf(blocks_.bounds);
}

UsageIndex::Found UsageIndex::Best(const ScoreBound& pod, std::span<const RowCondition> conditions,
                                   uint32_t start, const Evaluate& evaluate, const Found& other,
                                   size_t& most_chunks) {
  Found best = other;
  const auto visit_block = [&](size_t block) {
    if (block >= used_.size()) return true;
    const size_t first = block * kChunksPerBlock;
    // Chunks are added to the first slots that are free.
    const size_t count = RoundedUp(static_cast<size_t>(std::bit_width(used_[block])));
    return parts_.VisitPromising(pod, first, count, start, best, [&](size_t id) {
      if (chunks_[id] == nullptr) return true;  // A pod without limits may fit on no node, too.
      VisitChunk(*chunks_[id], pod, conditions, start, evaluate, best);
      return --most_chunks > 0;
    });
  };
  const auto visit_region = [&](size_t region) {
    const size_t first = region * kBlocksPerRegion;
    if (first >= blocks_.size()) return true;
    const size_t count = std::min(kBlocksPerRegion, blocks_.size() - first);
    return blocks_.VisitPromising(pod, first, count, start, best, visit_block);
  };
  if (used_.size() <= kBlocksPerRegion) {
    visit_region(0);
  } else {
    regions_.VisitPromising(pod, 0, regions_.size(), start, best, visit_region);
  }
  return best;
}

void UsageIndex::VisitChunk(const Chunk& chunk, const ScoreBound& pod,
                            std::span<const RowCondition> conditions, uint32_t start,
                            const Evaluate& evaluate, Found& best) {
  const UsageRanges nodes = RangesOf(chunk);
  std::array<int32_t, kCapacity> scores;  // Exact for those in `evaluated`, bounds of the others.
  BoundScores(pod, nodes, std::span(scores).first(RoundedUp(chunk.size)));
  for (const RowCondition& condition : conditions) {
    const auto exclude_others = [&](const auto& rule) {
      for (size_t i = 0; i < chunk.size; ++i) {
        if (!rule.Passes(chunk.row[i].index())) scores[i] = -1;
      }
    };
    std::visit(exclude_others, condition);
  }
  const std::span<const int32_t> all = std::span(scores).first(chunk.size);
  const auto ranks = std::span(chunk.rank).first(chunk.size);
  uint64_t evaluated = 0;
  while (true) {
    const int32_t top = HighestOf(all);
    if (top < 0 || top < best.score) return;
    const uint32_t rank = FirstRankAt(all, ranks, start, top);
    if (!best.LosesTo(top, rank - start)) return;
    const auto at = static_cast<size_t>(std::ranges::find(ranks, rank) - ranks.begin());
    const Found first{top, rank - start, chunk.row[at]};
    if ((evaluated >> at) & 1) {
      best = first;
      return;
    }
    evaluated |= uint64_t{1} << at;
    scores[at] = evaluate(first.row);
    if (scores[at] == top) {
      best = first;
      return;
    }
  }
}

}  // namespace berth::scheduler::framework
