#include "simulation/api_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/framework/status_patches.h"

namespace berth::simulation {
namespace {

using Kind = scheduler::framework::WriteResult::Kind;

scheduler::framework::WriteResult Refuse(Kind kind, std::string message) {
  return {kind, std::move(message)};
}

scheduler::framework::WriteResult NoPod(const api::ObjectKey& pod) {
  return Refuse(Kind::kNotFound, fmt::format("pods \"{}\" not found", pod.name));
}

scheduler::framework::WriteResult OtherUid(const api::ObjectKey& pod) {
  return Refuse(Kind::kConflict,
                fmt::format("pod {}: the UID in the precondition is another one", pod.ToString()));
}

}  // namespace

void ApiModel::Store(api::Object object) {
  objects_.insert_or_assign(IdOf(object), object);
  listener_({std::move(object), /*deleted=*/false});
}

void ApiModel::Erase(const ObjectId& id) {
  auto node = objects_.extract(id);
  if (node.empty()) return;
  ++version_;
  listener_({std::move(node.mapped()), /*deleted=*/true});
}

void ApiModel::DeletePod(const api::Pod& pod, Instant now) {
  const api::ObjectKey key = KeyOf(pod.metadata);
  const bool terminates =
      finalizers_.contains(key) || (!pod.spec.node_name.empty() && !pod.finished());
  if (!terminates) return Remove<api::Pod>(key);
  if (pod.metadata.deletion_timestamp) return;
  api::Pod terminating = pod;
  terminating.metadata.deletion_timestamp = now;
  Update(std::move(terminating));
}

void ApiModel::FinishDeletion(const api::ObjectKey& pod) {
  finalizers_.erase(pod);
  Remove<api::Pod>(pod);
}

scheduler::framework::WriteResult ApiModel::Execute(const scheduler::framework::ApiWrite& write,
                                                    Instant now) {
  return std::visit([&](const auto& operation) { return Apply(operation, now); }, write);
}

scheduler::framework::WriteResult ApiModel::Bind(const scheduler::framework::BindPod& bind,
                                                 Instant now) {
  const auto pod = Find<api::Pod>(bind.pod);
  if (pod == nullptr) return NoPod(bind.pod);
  if (pod->metadata.uid != bind.uid) return OtherUid(bind.pod);
  if (pod->metadata.deletion_timestamp) {
    return Refuse(Kind::kConflict,
                  fmt::format("pod {} is being deleted, cannot be assigned", bind.pod.name));
  }
  if (!pod->spec.node_name.empty()) {
    return Refuse(Kind::kConflict, fmt::format("pod {} is already assigned to node \"{}\"",
                                               bind.pod.name, pod->spec.node_name));
  }
  api::Pod bound = *pod;
  bound.spec.node_name = bind.node;
  bound.status.start_time = now;
  scheduler::framework::SetCondition({.type = "PodScheduled",
                                      .status = "True",
                                      .reason = {},
                                      .message = {},
                                      .last_transition_time = now,
                                      .observed_generation = {}},
                                     bound.status.conditions);
  Update(std::move(bound));
  return {};
}

scheduler::framework::WriteResult ApiModel::Apply(const scheduler::framework::PatchPodStatus& patch,
                                                  Instant) {
  const auto pod = Find<api::Pod>(patch.pod);
  if (pod == nullptr) return NoPod(patch.pod);
  if (pod->metadata.uid != patch.uid) return OtherUid(patch.pod);
  api::Pod patched = *pod;
  scheduler::framework::Apply(patch, patched.status);
  if (patched.status != pod->status) Update(std::move(patched));
  return {};
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::PatchPodGroupStatus& patch, Instant) {
  const auto group = Find<api::PodGroup>(patch.group);
  if (group == nullptr || group->metadata.uid != patch.uid) {
    return Refuse(Kind::kNotFound,
                  fmt::format("podgroups.scheduling.k8s.io \"{}\" not found", patch.group.name));
  }
  api::PodGroup patched = *group;
  scheduler::framework::Apply(patch, patched);
  if (patched.conditions != group->conditions) Update(std::move(patched));
  return {};
}

scheduler::framework::WriteResult ApiModel::Apply(
    const berth::scheduler::framework::DeletePod& remove, Instant now) {
  const auto pod = Find<api::Pod>(remove.pod);
  if (pod == nullptr) return NoPod(remove.pod);
  if (pod->metadata.uid != remove.uid) return OtherUid(remove.pod);
  DeletePod(*pod, now);
  return {};
}

template <typename T>
scheduler::framework::WriteResult ApiModel::Replace(const T& object) {
  const api::ObjectKey key = KeyOf(object.metadata);
  const auto current = Find<T>(key);
  if (current == nullptr) return Refuse(Kind::kNotFound, fmt::format("\"{}\" not found", key.name));
  if (current->metadata.uid != object.metadata.uid ||
      current->metadata.resource_version != object.metadata.resource_version) {
    return Refuse(Kind::kConflict,
                  "the object has been modified; please apply your changes to the "
                  "latest version and try again");
  }
  Update(object);
  return {.kind = Kind::kOk, .message = {}, .resource_version = std::to_string(version_)};
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::UpdatePersistentVolume& update, Instant) {
  return Replace(*update.object);
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::UpdatePersistentVolumeClaim& update, Instant) {
  return Replace(*update.object);
}

// --- ResourceClaims ---

namespace {

scheduler::framework::WriteResult NoClaim(const api::ObjectKey& claim) {
  return Refuse(Kind::kNotFound,
                fmt::format("resourceclaims.resource.k8s.io \"{}\" not found", claim.name));
}

scheduler::framework::WriteResult Modified(const std::string& name) {
  return Refuse(Kind::kConflict,
                fmt::format("Operation cannot be fulfilled on resourceclaims.resource.k8s.io "
                            "\"{}\": the object has been modified; please apply your changes to "
                            "the latest version and try again",
                            name));
}

// As the API server validates it: a claim is in use only while it is allocated, an allocation never
// changes, and a terminating claim is not allocated.
std::string WrongStatus(const api::ResourceClaim& before, const api::ResourceClaim& after) {
  const auto& allocation = after.status.allocation;
  const auto& users = after.status.reserved_for;
  if (!users.empty() && !allocation) return "status.reservedFor: may not be set without allocation";
  if (allocation && before.status.allocation) {
    api::AllocationResult same = *allocation;
    same.allocation_timestamp = before.status.allocation->allocation_timestamp;
    if (same != *before.status.allocation) return "status.allocation: field is immutable";
  }
  if (allocation && !before.status.allocation && before.metadata.deletion_timestamp)
    return "status.allocation: the claim is being deleted";
  std::set<std::string> uids;
  for (const api::ResourceClaimConsumerReference& user : users) {
    if (!uids.insert(user.uid).second) return "status.reservedFor: Duplicate value";
  }
  return "";
}

}  // namespace

void ApiModel::DeleteClaim(const api::ResourceClaim& claim, Instant now) {
  if (claim.metadata.finalizers.empty()) return Remove<api::ResourceClaim>(KeyOf(claim.metadata));
  if (claim.metadata.deletion_timestamp) return;
  api::ResourceClaim terminating = claim;
  terminating.metadata.deletion_timestamp = now;
  Update(std::move(terminating));
}

void ApiModel::UpdateClaim(api::ResourceClaim claim) {
  const bool gone = claim.metadata.deletion_timestamp && claim.metadata.finalizers.empty();
  if (gone) return Remove<api::ResourceClaim>(KeyOf(claim.metadata));
  Update(std::move(claim));
}

std::expected<api::Ref<api::ResourceClaim>, scheduler::framework::WriteResult> ApiModel::Current(
    const api::ResourceClaim& claim) const {
  const api::ObjectKey key = KeyOf(claim.metadata);
  auto current = Find<api::ResourceClaim>(key);
  if (current == nullptr) return std::unexpected(NoClaim(key));
  if (current->metadata.uid != claim.metadata.uid ||
      current->metadata.resource_version != claim.metadata.resource_version) {
    return std::unexpected(Modified(key.name));
  }
  return current;
}

scheduler::framework::WriteResult ApiModel::WithClaim(const api::ObjectKey& claim) const {
  scheduler::framework::WriteResult result;
  result.claim = Find<api::ResourceClaim>(claim);
  if (result.claim == nullptr) return NoClaim(claim);
  result.resource_version = result.claim->metadata.resource_version;
  return result;
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::CreateResourceClaim& create, Instant) {
  api::ResourceClaim claim = *create.object;
  claim.metadata.name = fmt::format("{}{}", create.generate_name, ++last_uid_);
  claim.metadata.finalizers.clear();
  claim.status = {};
  const api::ObjectKey key = KeyOf(claim.metadata);
  Create(std::move(claim));
  return WithClaim(key);
}

scheduler::framework::WriteResult ApiModel::Apply(const scheduler::framework::GetResourceClaim& get,
                                                  Instant) {
  return WithClaim(get.claim);
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::UpdateResourceClaim& update, Instant) {
  const auto current = Current(*update.object);
  if (!current) return current.error();
  api::ResourceClaim claim = **current;
  claim.metadata.finalizers = update.object->metadata.finalizers;
  const bool changed = claim != **current;
  scheduler::framework::WriteResult result = WithClaim(KeyOf(claim.metadata));
  if (!changed) return result;
  UpdateClaim(std::move(claim));
  const auto written = Find<api::ResourceClaim>(KeyOf(update.object->metadata));
  if (written != nullptr) result.claim = written;  // Otherwise it was the last finalizer.
  result.resource_version = result.claim->metadata.resource_version;
  return result;
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::UpdateResourceClaimStatus& update, Instant) {
  const auto current = Current(*update.object);
  if (!current) return current.error();
  api::ResourceClaim claim = **current;
  scheduler::framework::Apply(update, claim);
  if (std::string wrong = WrongStatus(**current, claim); !wrong.empty())
    return Refuse(Kind::kRejected, std::move(wrong));
  if (claim != **current) UpdateClaim(std::move(claim));
  return WithClaim(KeyOf(update.object->metadata));
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::UnreserveResourceClaim& unreserve, Instant) {
  const auto current = Find<api::ResourceClaim>(unreserve.claim);
  if (current == nullptr) return NoClaim(unreserve.claim);
  if (current->metadata.uid != unreserve.uid) return Modified(unreserve.claim.name);
  api::ResourceClaim claim = *current;
  scheduler::framework::Apply(unreserve, claim);
  if (claim != *current) UpdateClaim(std::move(claim));
  return WithClaim(unreserve.claim);
}

scheduler::framework::WriteResult ApiModel::Apply(
    const scheduler::framework::DeleteResourceClaim& remove, Instant now) {
  const auto current = Find<api::ResourceClaim>(remove.claim);
  if (current == nullptr) return NoClaim(remove.claim);
  DeleteClaim(*current, now);
  return {};
}

// --- others ---

scheduler::framework::WriteResult ApiModel::Apply(const scheduler::framework::CallExtender&,
                                                  Instant) {
  return Refuse(Kind::kUnavailable, "there are no extenders in this world");
}

}  // namespace berth::simulation
