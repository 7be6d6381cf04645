#include "scheduler/framework/writes.h"

#include "api/storage.h"

namespace berth::scheduler::framework {
namespace {

struct Lanes {
  WriteLane operator()(const BindPod&) const { return WriteLane::kBind; }
  // Binding waits for these.
  WriteLane operator()(const UpdatePersistentVolume&) const { return WriteLane::kBind; }
  WriteLane operator()(const UpdatePersistentVolumeClaim&) const { return WriteLane::kBind; }
  WriteLane operator()(const PatchPodStatus& patch) const {
    if (!patch.nominated_node_name.value_or("").empty() || !patch.condition)
      return WriteLane::kNominate;
    // A victim is marked before it is deleted.
    return patch.condition->type == "DisruptionTarget" ? WriteLane::kEvict : WriteLane::kStatus;
  }
  WriteLane operator()(const DeletePod&) const { return WriteLane::kEvict; }
  // A cycle waits for these.
  WriteLane operator()(const CallExtender&) const { return WriteLane::kBind; }
  WriteLane operator()(const RecordEvent&) const { return WriteLane::kEvent; }
};

}  // namespace

bool operator==(const UpdatePersistentVolume& a, const UpdatePersistentVolume& b) {
  return *a.object == *b.object;
}

bool operator==(const UpdatePersistentVolumeClaim& a, const UpdatePersistentVolumeClaim& b) {
  return *a.object == *b.object;
}

WriteLane LaneOf(const ApiWrite& write) { return std::visit(Lanes{}, write); }

Async::PendingWrite Async::Write(ApiWrite write) { return {*this, std::move(write)}; }

}  // namespace berth::scheduler::framework
