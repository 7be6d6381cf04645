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

// What the loops above read for some rows.
struct Rows {
  Rows(const model::ResourceVector& wanted, const model::NodeColumns& columns, size_t first)
      : pod_count(&columns.pod_count[first]),
        allocatable_pods(&columns.allocatable_pods[first]),
        cpu{OrNone(wanted.milli_cpu), &columns.allocatable_cpu[first],
            &columns.requested_cpu[first]},
        memory{OrNone(wanted.memory), &columns.allocatable_memory[first],
               &columns.requested_memory[first]},
        // Few pods request it: columns that are read already cost less than two more.
        ephemeral(wanted.ephemeral_storage > 0
                      ? RowsOfResource{wanted.ephemeral_storage,
                                       &columns.allocatable_ephemeral[first],
                                       &columns.requested_ephemeral[first]}
                      : RowsOfResource{kNotRequested, cpu.allocatable, cpu.requested}) {}

  const int64_t *pod_count, *allocatable_pods;
  RowsOfResource cpu, memory, ephemeral;

 private:
  // What is not requested is never short: nothing is less than the lowest number.
  static constexpr int64_t kNotRequested = INT64_MIN;
  static int64_t OrNone(int64_t request) { return request > 0 ? request : kNotRequested; }
};

}  // namespace

uint64_t FittingRows(const model::ResourceVector& wanted, const model::NodeColumns& columns,
                     size_t first) {
  const Rows rows(wanted, columns, first);
  return FittingRows(rows.pod_count, rows.allocatable_pods, rows.cpu, rows.memory, rows.ephemeral);
}

void ShortResourcesOfRows(const model::ResourceVector& wanted, const model::NodeColumns& columns,
                          size_t first, std::span<uint32_t, 64> out) {
  const Rows rows(wanted, columns, first);
  ShortResources(rows.pod_count, rows.allocatable_pods, rows.cpu, rows.memory, rows.ephemeral,
                 out.data());
}

}  // namespace berth::scheduler::plugins
