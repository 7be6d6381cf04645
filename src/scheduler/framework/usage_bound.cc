#include "scheduler/framework/usage_bound.h"

#include <algorithm>
#include <cmath>

#include "base/vectorised.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::framework {
namespace {

// Added to percentages before they are truncated: twice the largest error of computing in floats.
constexpr float kSlack = 1e-4F;

// A percentage without its fraction.
inline float Whole(float percentage) {
  return static_cast<float>(static_cast<int32_t>(percentage + kSlack));
}

// Returns the number, or 0 if it is negative. Comparisons would not be vectorised.
inline float Positive(float number) { return (number + std::abs(number)) / 2; }
// Returns the usage, or 1 if it is more.
inline float AtMostAll(float usage) { return 1 - Positive(1 - usage); }

// Returns more than 1 if a node lacks the resource, and 0 for others. The factor makes the share of
// a unit of 2^63 more than 1, and that of an empty group (kNoneFits) not infinite.
inline float AllIfNone(float per_unit) { return 2 * Positive(1 - per_unit * 1e20F); }

inline float PercentFree(float usage) { return Whole(100 * Positive(1 - usage)); }
inline float PercentUsed(float usage) { return Whole(100 * AtMostAll(usage)); }

// Returns the balance of the most even usages in the ranges.
inline float HighestBalance(float cpu_low, float cpu_high, float memory_low, float memory_high) {
  // At most one of them is higher than the other.
  const float apart = Positive(AtMostAll(cpu_low) - AtMostAll(memory_high)) +
                      Positive(AtMostAll(memory_low) - AtMostAll(cpu_high));
  return Whole(100 * (1 - apart / 2));
}

template <bool kPrefersUsed>
inline int32_t BoundOf(const ScoreBound& pod, float per_weight, const UsageRanges& in, size_t i) {
  const float per_cpu = in.low[kPerCpu][i], per_memory = in.low[kPerMemory][i];
  const float most_per_cpu = in.high[kPerCpu][i], most_per_memory = in.high[kPerMemory][i];
  // Combined as numbers: && would be a branch.
  const int32_t cpu_fits = in.low[kCpuUsage][i] + pod.cpu * per_cpu <= pod.cpu_limit;
  const int32_t memory_fits = in.low[kMemoryUsage][i] + pod.memory * per_memory <= pod.memory_limit;
  float cpu = 0, memory = 0;
  if constexpr (kPrefersUsed) {
    cpu = PercentUsed(in.high[kNonzeroCpuUsage][i] + pod.nonzero_cpu * most_per_cpu +
                      AllIfNone(per_cpu));
    memory = PercentUsed(in.high[kNonzeroMemoryUsage][i] + pod.nonzero_memory * most_per_memory +
                         AllIfNone(per_memory));
  } else {
    cpu = PercentFree(in.low[kNonzeroCpuUsage][i] + pod.nonzero_cpu * per_cpu);
    memory = PercentFree(in.low[kNonzeroMemoryUsage][i] + pod.nonzero_memory * per_memory);
  }
  const float average = (cpu * pod.cpu_weight + memory * pod.memory_weight) * per_weight;
  const float balance =
      HighestBalance(in.low[kCpuUsage][i] + pod.balanced_cpu * per_cpu,
                     in.high[kCpuUsage][i] + pod.balanced_cpu * most_per_cpu,
                     in.low[kMemoryUsage][i] + pod.balanced_memory * per_memory,
                     in.high[kMemoryUsage][i] + pod.balanced_memory * most_per_memory);
  const auto gain = static_cast<int32_t>((50 + balance - in.low[kBalance][i]) / 2);
  const int32_t sum = pod.others + pod.allocation_weight * static_cast<int32_t>(average + kSlack) +
                      pod.balance_weight * (50 + gain);
  return sum | ((cpu_fits & memory_fits) - 1);  // -1 has all bits.
}

inline float PerWeight(const ScoreBound& pod) {
  const float weights = pod.cpu_weight + pod.memory_weight;
  return weights == 0 ? 0 : 1 / weights;
}

BERTH_VECTORISED
void BoundByFreeUsage(ScoreBound pod, UsageRanges ranges, size_t count,
                      int32_t* __restrict bounds) {
  const float per_weight = PerWeight(pod);
  for (size_t i = 0; i < count; ++i) bounds[i] = BoundOf<false>(pod, per_weight, ranges, i);
}

BERTH_VECTORISED
void BoundByUsage(ScoreBound pod, UsageRanges ranges, size_t count, int32_t* __restrict bounds) {
  const float per_weight = PerWeight(pod);
  for (size_t i = 0; i < count; ++i) bounds[i] = BoundOf<true>(pod, per_weight, ranges, i);
}

double Fraction(int64_t part, int64_t whole) {
  return std::min(static_cast<double>(part) / static_cast<double>(whole), 1.0);
}

// As NodeResourcesBalancedAllocation computes it: it counts against the node, so it must be exact.
float BalanceOf(double cpu, double memory) {
  return static_cast<float>(static_cast<int32_t>((1 - std::abs((cpu - memory) / 2)) * 100));
}

// No node is fuller than this: it would be taken for one on which no pod fits.
constexpr double kFullest = 1e6;

float Share(int64_t part, int64_t whole) {
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return static_cast<float>(std::min(share, kFullest));
}

}  // namespace

NodeUsage UsageOf(const model::NodeColumns& columns, size_t row) {
  NodeUsage usage{};
  const int64_t cpu = columns.allocatable_cpu[row], memory = columns.allocatable_memory[row];
  if (columns.pod_count[row] >= columns.allocatable_pods[row]) {
    usage[kCpuUsage] = kNoneFits;
    return usage;
  }
  if (cpu == 0 || memory == 0) return usage;
  usage[kCpuUsage] = Share(columns.requested_cpu[row], cpu);
  usage[kMemoryUsage] = Share(columns.requested_memory[row], memory);
  usage[kNonzeroCpuUsage] = Share(columns.nonzero_cpu[row], cpu);
  usage[kNonzeroMemoryUsage] = Share(columns.nonzero_memory[row], memory);
  usage[kPerCpu] = Share(1, cpu);
  usage[kPerMemory] = Share(1, memory);
  usage[kBalance] = BalanceOf(Fraction(columns.requested_cpu[row], cpu),
                              Fraction(columns.requested_memory[row], memory));
  return usage;
}

void BoundScores(const ScoreBound& pod, const UsageRanges& ranges, std::span<int32_t> bounds) {
  (pod.prefers_used ? BoundByUsage : BoundByFreeUsage)(pod, ranges, bounds.size(), bounds.data());
}

void BoundScoresPlainly(const ScoreBound& pod, const UsageRanges& ranges,
                        std::span<int32_t> bounds) {
  const float per_weight = PerWeight(pod);
  for (size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = pod.prefers_used ? BoundOf<true>(pod, per_weight, ranges, i)
                                 : BoundOf<false>(pod, per_weight, ranges, i);
  }
}

}  // namespace berth::scheduler::framework
