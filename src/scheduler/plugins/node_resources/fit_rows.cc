#include "scheduler/plugins/node_resources/fit_rows.h"

#include "base/vectorised.h"

namespace berth::scheduler::plugins {
namespace {

struct RowsOfResource {
  int64_t request;
  const int64_t *allocatable, *requested;

  // As a number, so that several are combined without a branch.
  uint64_t IsEnough(size_t i) const { return request <= allocatable[i] - requested[i]; }
  uint64_t IsShort(size_t i) const { return request > allocatable[i] - requested[i]; }
  uint64_t IsTooSmall(size_t i) const { return IsShort(i) & uint64_t{request > allocatable[i]}; }
};

BERTH_VECTORISED
uint64_t FittingRows(const int64_t* pod_count, const int64_t* allocatable_pods, RowsOfResource cpu,
                     RowsOfResource memory, RowsOfResource ephemeral) {
  uint64_t rows = 0;
  for (size_t i = 0; i < 64; ++i) {
    const uint64_t has_slot = pod_count[i] < allocatable_pods[i];
    rows |= (has_slot & cpu.IsEnough(i) & memory.IsEnough(i) & ephemeral.IsEnough(i)) << i;
  }
  return rows;
}

BERTH_VECTORISED
void ShortResources(const int64_t* pod_count, const int64_t* allocatable_pods, RowsOfResource cpu,
                    RowsOfResource memory, RowsOfResource ephemeral, uint32_t* out) {
  for (size_t i = 0; i < 64; ++i) {
    const uint64_t no_slot = pod_count[i] >= allocatable_pods[i];
    const uint64_t too_small = cpu.IsTooSmall(i) | memory.IsTooSmall(i) | ephemeral.IsTooSmall(i);
    out[i] = static_cast<uint32_t>(
        no_slot * kShortOfPods + cpu.IsShort(i) * kShortOfCpu + memory.IsShort(i) * kShortOfMemory +
        ephemeral.IsShort(i) * kShortOfEphemeralStorage + too_small * kTooSmall);
  }
}

// What is not requested is never short: nothing is less than the lowest number.
int64_t OrNone(int64_t request) { return request > 0 ? request : INT64_MIN; }

}  // namespace

uint64_t FittingRows(const model::ResourceVector& wanted, const model::NodeColumns& columns,
                     size_t first) {
  return FittingRows(
      &columns.pod_count[first], &columns.allocatable_pods[first],
      {OrNone(wanted.milli_cpu), &columns.allocatable_cpu[first], &columns.requested_cpu[first]},
      {OrNone(wanted.memory), &columns.allocatable_memory[first], &columns.requested_memory[first]},
      {OrNone(wanted.ephemeral_storage), &columns.allocatable_ephemeral[first],
       &columns.requested_ephemeral[first]});
}

void ShortResourcesOfRows(const model::ResourceVector& wanted, const model::NodeColumns& columns,
                          size_t first, std::span<uint32_t, 64> out) {
  ShortResources(
      &columns.pod_count[first], &columns.allocatable_pods[first],
      {OrNone(wanted.milli_cpu), &columns.allocatable_cpu[first], &columns.requested_cpu[first]},
      {OrNone(wanted.memory), &columns.allocatable_memory[first], &columns.requested_memory[first]},
      {OrNone(wanted.ephemeral_storage), &columns.allocatable_ephemeral[first],
       &columns.requested_ephemeral[first]},
      out.data());
}

}  // namespace berth::scheduler::plugins
