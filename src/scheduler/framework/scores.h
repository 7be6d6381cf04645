// Arithmetic of scores: normalization, lines through given points, and the choice of the best node.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/model/ids.h"

namespace berth::scheduler::framework {

// Scales the scores so that the highest becomes 100; with `reverse`, so that the highest becomes 0
// and 0 becomes 100. Negative maxima count as 0.
void DefaultNormalize(const model::NodeMask& feasible, bool reverse, std::span<int64_t> scores);

// A node and the weighted sum of its scores.
struct ScoredNode {
  model::NodeRow node;
  int64_t score = 0;
};

struct ShapePoint {
  int64_t utilization = 0;
  int64_t score = 0;
  friend bool operator==(const ShapePoint&, const ShapePoint&) = default;
};

// Returns the value at `x` of the line through `shape`, whose utilizations ascend; constant before
// the first and after the last point. Integer arithmetic, truncating.
int64_t BrokenLinear(std::span<const ShapePoint> shape, int64_t x);

// Tournament finds the highest of many totals, and among equals the first from some place on, at
// the cost of those that changed: the winners of all matches are stored.
class Tournament {
 public:
  // Starts over: place i has totals[order(i)]. O(n).
  template <typename TotalAt>  // int32_t(size_t place)
  void Start(size_t places, TotalAt total_at) {
    size_ = std::bit_ceil(places == 0 ? 1 : places);
    best_.assign(2 * size_, INT32_MIN);
    for (size_t place = 0; place < places; ++place) best_[size_ + place] = total_at(place);
    for (size_t match = size_ - 1; match > 0; --match) Play(match);
  }

  // O(log n), less if the winners do not change.
  void Set(size_t place, int32_t total) {
    size_t match = size_ + place;
    best_[match] = total;
    for (match /= 2; match > 0; match /= 2) {
      const int32_t before = best_[match];
      Play(match);
      if (best_[match] == before) return;
    }
  }

  // The highest total. Start comes first.
  int32_t highest() const { return best_[1]; }
  // The first place from `start` on, around the end, that has it. O(log n).
  size_t Winner(size_t start) const {
    if (start >= size_) return FirstIn(1);
    size_t match = size_ + start;
    if (best_[match] == best_[1]) return start;
    // Each left child on the way up has its sibling behind it.
    for (; match > 1; match /= 2) {
      if (match % 2 == 0 && best_[match + 1] == best_[1]) return FirstIn(match + 1);
    }
    return FirstIn(1);
  }

  // Calls visit(place, total) for up to `count` places with the highest totals besides `winner`,
  // the highest first; of equals any, but always the same. Leaves out negative totals. At most
  // kMaxRunnersUp; O(count * log n).
  static constexpr size_t kMaxRunnersUp = 3;
  template <typename Visit>
  void ForEachRunnerUp(size_t winner, size_t count, Visit visit) const {
    // Matches that were not visited, whose siblings were: the best place is below one of them.
    std::array<uint32_t, 32 * (kMaxRunnersUp + 1)> open;
    size_t opened = 0;
    for (size_t match = size_ + winner; match > 1; match /= 2)
      open[opened++] = static_cast<uint32_t>(match ^ 1);
    int32_t last = best_[size_ + winner];  // None is higher: the first that is equal will do.
    for (count = std::min(count, kMaxRunnersUp); count > 0 && opened > 0; --count) {
      size_t top = 0;
      for (size_t i = 1; i < opened && best_[open[top]] != last; ++i) {
        if (best_[open[i]] > best_[open[top]]) top = i;
      }
      size_t match = open[top];
      last = best_[match];
      open[top] = open[--opened];
      if (best_[match] < 0) return;
      while (match < size_) {
        match *= 2;
        if (best_[match] < best_[match + 1]) ++match;
        open[opened++] = static_cast<uint32_t>(match ^ 1);
      }
      visit(match - size_, best_[match]);
    }
  }

  size_t bytes() const { return best_.capacity() * sizeof(best_[0]); }

 private:
  // The first place below `match` that has the highest total of all, which `match` has.
  size_t FirstIn(size_t match) const {
    while (match < size_) {
      match *= 2;
      if (best_[match] != best_[1]) ++match;
    }
    return match - size_;
  }

  void Play(size_t match) {
    best_[match] =
        best_[2 * match] < best_[2 * match + 1] ? best_[2 * match + 1] : best_[2 * match];
  }

  size_t size_ = 1;                                  // A power of two.
  std::vector<int32_t> best_{INT32_MIN, INT32_MIN};  // Of each match; places come from size_ on.
};

// Returns the best node: the highest total, and among equals the first in node order from the
// position `start` on, around the end. Over all rows; a negative total marks an excluded row.
// Invalid if all are excluded. `rank` is each row's position in `order`.
model::NodeRow SelectBest(std::span<const int32_t> totals, std::span<const uint32_t> rank,
                          uint32_t start, std::span<const model::NodeRow> order);

// Over the rows of `feasible`; totals may be negative.
model::NodeRow SelectBest(const model::NodeMask& feasible, std::span<const int32_t> totals,
                          std::span<const uint32_t> rank, uint32_t start);
model::NodeRow SelectBest(const model::NodeMask& feasible, std::span<const int64_t> totals,
                          std::span<const uint32_t> rank, uint32_t start);

}  // namespace berth::scheduler::framework
