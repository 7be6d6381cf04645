// ScoreBound bounds from above what a pod can score on a node, or on any of a group of nodes, by
// how much of them is used. A search evaluates only nodes whose bound is high enough.
//
// Bounds are computed in floats, many at once; they are never too low, and too high for less than
// one node in a hundred. Whether a node fits, and its score, is always computed exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace berth::scheduler::model {
struct NodeColumns;
}

namespace berth::scheduler::framework {

// The numbers of a node on which its scores by cpu and memory depend.
enum UsageColumn : uint8_t {
  kCpuUsage,         // Requested, as a share of what is allocatable.
  kMemoryUsage,      //
  kNonzeroCpuUsage,  // The same with defaults for pods without requests.
  kNonzeroMemoryUsage,
  kPerCpu,  // The share of one unit.
  kPerMemory,
  kBalance,  // How evenly cpu and memory are used, 0..100.
  kUsageColumns,
};
using NodeUsage = std::array<float, kUsageColumns>;

// The cpu usage of a node on which no pod fits, whatever it requests.
inline constexpr float kNoneFits = 1e9F;

// A node that lacks one of the resources counts as unused: its bounds are the highest possible.
NodeUsage UsageOf(const model::NodeColumns& columns, size_t row);

// What a pod requests, and how scores count it.
struct ScoreBound {
  // Fit: amounts that must be free, and the highest usage with them. By default even nodes with too
  // many pods count.
  static constexpr float kAnyUsage = kNoneFits * 2;
  static constexpr float kAnyButNoneFits = kNoneFits / 2;
  static constexpr float kAll = 1.00001F;  // More than 1, as the sum is rounded.
  float cpu = 0, memory = 0;
  float cpu_limit = kAnyUsage, memory_limit = kAnyUsage;
  // The pod fits on every node whose usage with these amounts is clearly below the limits.
  bool decides_fit = false;

  // LeastAllocated or MostAllocated: the average over both resources.
  bool prefers_used = false;
  float nonzero_cpu = 0, nonzero_memory = 0;
  float cpu_weight = 0, memory_weight = 0;  // In the average.
  int32_t allocation_weight = 0;            // Of the plugin.

  // BalancedAllocation.
  float balanced_cpu = 0, balanced_memory = 0;
  int32_t balance_weight = 0;

  // The highest sum of all other scores.
  int32_t others = 0;
};

// Ranges of usages: those of group i are from low[column][i] to high[column][i]. For single nodes
// both are the same.
struct UsageRanges {
  std::array<const float*, kUsageColumns> low, high;
};

// bounds[i] is the highest weighted sum of scores that the pod can get on a node of group i; -1 if
// it fits on none of them.
void BoundScores(const ScoreBound& pod, const UsageRanges& ranges, std::span<int32_t> bounds);
// The same, one by one.
void BoundScoresPlainly(const ScoreBound& pod, const UsageRanges& ranges,
                        std::span<int32_t> bounds);

}  // namespace berth::scheduler::framework
