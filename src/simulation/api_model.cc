#include "simulation/api_model.h"

#include <fmt/format.h>

#include <algorithm>

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

void SetCondition(api::PodStatus& status, const api::PodCondition& condition) {
  std::erase_if(status.conditions,
                [&](const api::PodCondition& old) { return old.type == condition.type; });
  status.conditions.push_back(condition);
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
  SetCondition(bound.status, {.type = "PodScheduled",
                              .status = "True",
                              .reason = {},
                              .message = {},
                              .last_transition_time = now,
                              .observed_generation = {}});
  Update(std::move(bound));
  return {};
}

scheduler::framework::WriteResult ApiModel::Apply(const scheduler::framework::PatchPodStatus& patch,
                                                  Instant) {
  const auto pod = Find<api::Pod>(patch.pod);
  if (pod == nullptr) return NoPod(patch.pod);
  if (pod->metadata.uid != patch.uid) return OtherUid(patch.pod);
  api::Pod patched = *pod;
  if (patch.nominated_node_name) patched.status.nominated_node_name = *patch.nominated_node_name;
  if (patch.condition) SetCondition(patched.status, *patch.condition);
  if (patched.status != pod->status) Update(std::move(patched));
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

scheduler::framework::WriteResult ApiModel::Apply(const scheduler::framework::CallExtender&,
                                                  Instant) {
  return Refuse(Kind::kUnavailable, "there are no extenders in this world");
}

}  // namespace berth::simulation
