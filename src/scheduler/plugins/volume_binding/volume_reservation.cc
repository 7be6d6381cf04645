#include "scheduler/plugins/volume_binding/volume_reservation.h"

#include <fmt/format.h>

#include "api/object.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::plugins {
namespace {

constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";

api::ObjectKey KeyOf(const api::ObjectMeta& meta) { return {meta.namespace_, meta.name}; }

// Returns the volume bound to the claim; the same object if it is already.
model::Storage::VolumeRef Bind(const model::Storage::VolumeRef& volume,
                               const api::PersistentVolumeClaim& claim) {
  const bool prebound = volume->claim_ref.has_value();
  if (prebound && volume->claim_ref->uid == claim.metadata.uid) return volume;
  auto bound = std::make_shared<api::PersistentVolume>(*volume);
  bound->claim_ref = api::ObjectReference{.api_version = "v1",
                                          .kind = "PersistentVolumeClaim",
                                          .namespace_ = claim.metadata.namespace_,
                                          .name = claim.metadata.name,
                                          .uid = claim.metadata.uid,
                                          .resource_version = claim.metadata.resource_version};
  // Lets the volume controller undo this binding; it may not undo a user's.
  if (!prebound) bound->metadata.annotations.try_emplace(kBoundByController, "yes");
  return bound;
}

model::Storage::ClaimRef SelectNode(const api::PersistentVolumeClaim& claim,
                                    const std::string& node) {
  auto selected = std::make_shared<api::PersistentVolumeClaim>(claim);
  selected->metadata.annotations.insert_or_assign(model::kSelectedNodeAnnotation, node);
  return selected;
}

// Reports whether the API still shows an object as it was before it was written.
bool IsStale(const api::ObjectMeta& shown, const std::string& written) {
  const auto wanted = api::ParseInt(written);
  const auto version = api::ParseInt(shown.resource_version);
  return wanted && version && *version < *wanted;
}

std::unexpected<Error> Missing(std::string_view what, std::string_view type,
                               const std::string& name) {
  return Fail(fmt::format("{}: could not find {} \"{}\"", what, type, name));
}

Status CheckAffinity(const model::Cluster& cluster, const model::StorageCatalog::Volume& volume,
                     model::NodeRow node) {
  const auto reachable = IsReachable(cluster, volume, node);
  if (!reachable) return Fail("failed to translate pv to csi: " + reachable.error().message);
  if (*reachable) return {};
  return Fail(fmt::format(
      "pv \"{}\" node affinity doesn't match node \"{}\": no matching NodeSelectorTerms",
      volume.object->metadata.name, cluster.nodes().name(node)));
}

}  // namespace

VolumeReservation::VolumeReservation(model::Storage& storage, const VolumePlan::OnNode& plan,
                                     std::string node)
    : node_(std::move(node)) {
  for (const VolumePlan::Binding& planned : plan.bindings) {
    model::Storage::VolumeRef volume = Bind(planned.volume, *planned.claim);
    if (volume != planned.volume) storage.Assume(volume);
    bindings_.push_back({std::move(volume), planned.claim, ""});
  }
  for (const model::Storage::ClaimRef& planned : plan.provisions) {
    model::Storage::ClaimRef claim = SelectNode(*planned, node_);
    storage.Assume(claim);
    provisions_.push_back({std::move(claim), ""});
  }
}

void VolumeReservation::Revert(model::Storage& storage) const {
  for (const Binding& binding : bindings_) storage.RevertVolume(binding.volume->metadata.name);
  for (const Provision& provision : provisions_) {
    storage.RevertClaim(KeyOf(provision.claim->metadata));
  }
}

Result<bool> VolumeReservation::IsDone(const model::Cluster& cluster,
                                       const api::ObjectKey& pod) const {
  const model::NodeRow node = cluster.nodes().Find(cluster.symbols().Find(node_));
  if (!node.valid() || !cluster.nodes().present().Test(node.index())) {
    return Fail(
        fmt::format("failed to get node \"{}\": {}", node_, model::NotFound("node", node_)));
  }
  if (!cluster.pods().Find(pod.namespace_, pod.name).valid()) {
    return Fail("pod does not exist any more: " + model::NotFound("pod", pod.name));
  }
  for (const Binding& binding : bindings_) {
    const auto bound = IsBound(cluster, binding, node);
    if (!bound || !*bound) return bound;
  }
  for (const Provision& provision : provisions_) {
    const auto provisioned = IsProvisioned(cluster, provision, node);
    if (!provisioned || !*provisioned) return provisioned;
  }
  return true;
}

Result<bool> VolumeReservation::IsBound(const model::Cluster& cluster, const Binding& binding,
                                        model::NodeRow node) const {
  const std::string& name = binding.volume->metadata.name;
  const auto* volume = cluster.storage().catalog().FindVolume(name);
  if (volume == nullptr) return Missing("failed to check binding", "v1.PersistentVolume", name);
  const api::ObjectKey key = KeyOf(binding.claim->metadata);
  const auto* claim = cluster.objects<api::PersistentVolumeClaim>().Find(key);
  if (claim == nullptr) {
    return Missing("failed to check binding", "v1.PersistentVolumeClaim", key.ToString());
  }
  if (IsStale(volume->object->metadata, binding.written)) return false;
  if (Status status = CheckAffinity(cluster, *volume, node); !status) {
    return std::unexpected(status.error());
  }
  if (!volume->object->claim_ref || volume->object->claim_ref->uid.empty()) {
    return Fail(fmt::format("ClaimRef got reset for pv \"{}\"", name));
  }
  return model::IsFullyBound(*claim);
}

Result<bool> VolumeReservation::IsProvisioned(const model::Cluster& cluster,
                                              const Provision& provision,
                                              model::NodeRow node) const {
  const api::ObjectKey key = KeyOf(provision.claim->metadata);
  const auto* claim = cluster.objects<api::PersistentVolumeClaim>().Find(key);
  if (claim == nullptr) {
    return Missing("failed to check provisioning pvc", "v1.PersistentVolumeClaim", key.ToString());
  }
  if (IsStale(claim->metadata, provision.written)) return false;
  if (claim->metadata.annotations.empty()) {
    return Fail(fmt::format("selectedNode annotation reset for PVC \"{}\"", key.name));
  }
  // A provisioner that fails removes the annotation, so that another node can be tried.
  const auto selected = claim->metadata.annotations.find(model::kSelectedNodeAnnotation);
  if (selected == claim->metadata.annotations.end() || selected->second != node_) {
    return Fail(fmt::format("provisioning failed for PVC \"{}\"", key.name));
  }
  if (!claim->volume_name.empty()) {
    const auto* volume = cluster.storage().catalog().FindVolume(claim->volume_name);
    if (volume == nullptr) return false;  // It may arrive later than the claim.
    if (Status status = CheckAffinity(cluster, *volume, node); !status) {
      return std::unexpected(status.error());
    }
  }
  return model::IsFullyBound(*claim);
}

}  // namespace berth::scheduler::plugins
