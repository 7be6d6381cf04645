#include "scheduler/framework/writes.h"

#include "api/resource_claim.h"
#include "api/storage.h"

namespace berth::scheduler::framework {
namespace {

struct Lanes {
  WriteLane operator()(const BindPod&) const { return WriteLane::kBind; }
  // Binding waits for these.
  WriteLane operator()(const UpdatePersistentVolume&) const { return WriteLane::kBind; }
  WriteLane operator()(const UpdatePersistentVolumeClaim&) const { return WriteLane::kBind; }
  WriteLane operator()(const CreateResourceClaim&) const { return WriteLane::kBind; }
  WriteLane operator()(const GetResourceClaim&) const { return WriteLane::kBind; }
  WriteLane operator()(const UpdateResourceClaim&) const { return WriteLane::kBind; }
  WriteLane operator()(const UpdateResourceClaimStatus&) const { return WriteLane::kBind; }
  // The pod's next attempt waits for these.
  WriteLane operator()(const UnreserveResourceClaim&) const { return WriteLane::kBind; }
  WriteLane operator()(const DeleteResourceClaim&) const { return WriteLane::kBind; }
  WriteLane operator()(const PatchPodStatus& patch) const {
    if (patch.extended_resource_claim_status) return WriteLane::kBind;
    if (!patch.nominated_node_name.value_or("").empty() || !patch.condition)
      return WriteLane::kNominate;
    // A victim is marked before it is deleted.
    return patch.condition->type == "DisruptionTarget" ? WriteLane::kEvict : WriteLane::kStatus;
  }
  WriteLane operator()(const PatchPodGroupStatus&) const { return WriteLane::kStatus; }
  WriteLane operator()(const DeletePod&) const { return WriteLane::kEvict; }
  // A cycle waits for these.
  WriteLane operator()(const CallExtender&) const { return WriteLane::kBind; }
  WriteLane operator()(const RecordEvent&) const { return WriteLane::kEvent; }
};

bool SameClaim(const std::shared_ptr<const api::ResourceClaim>& a,
               const std::shared_ptr<const api::ResourceClaim>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

bool operator==(const UpdatePersistentVolume& a, const UpdatePersistentVolume& b) {
  return *a.object == *b.object;
}

bool operator==(const UpdatePersistentVolumeClaim& a, const UpdatePersistentVolumeClaim& b) {
  return *a.object == *b.object;
}

bool operator==(const CreateResourceClaim& a, const CreateResourceClaim& b) {
  return SameClaim(a.object, b.object) && a.generate_name == b.generate_name;
}

bool operator==(const UpdateResourceClaim& a, const UpdateResourceClaim& b) {
  return SameClaim(a.object, b.object);
}

bool operator==(const UpdateResourceClaimStatus& a, const UpdateResourceClaimStatus& b) {
  return SameClaim(a.object, b.object);
}

bool operator==(const WriteResult& a, const WriteResult& b) {
  return a.kind == b.kind && a.message == b.message && a.resource_version == b.resource_version &&
         a.body == b.body && SameClaim(a.claim, b.claim) &&
         a.may_have_happened == b.may_have_happened;
}

WriteLane LaneOf(const ApiWrite& write) { return std::visit(Lanes{}, write); }

}  // namespace berth::scheduler::framework
