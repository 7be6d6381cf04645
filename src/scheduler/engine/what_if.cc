#include "scheduler/engine/what_if.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "api/object.h"
#include "scheduler/engine/engine_parts.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::engine {
namespace {

// Returns the pod's record in the model; null if there is none of its name.
const model::PodRecord* FindPod(const model::Cluster& cluster, const api::Pod& pod) {
  const model::PodId id = cluster.pods().Find(pod.metadata.namespace_, pod.metadata.name);
  return id.valid() ? &cluster.pod(id) : nullptr;
}

template <typename T>
std::shared_ptr<const T> FindRef(const model::Cluster& cluster, const T& like) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    const model::PodRecord* record = FindPod(cluster, like);
    return record == nullptr ? nullptr : record->object;
  } else if constexpr (std::is_same_v<T, api::Node>) {
    const model::NodeRow row = cluster.nodes().Find(cluster.symbols().Find(like.metadata.name));
    return row.valid() ? cluster.nodes().info(row).object : nullptr;
  } else {
    const auto& all = cluster.objects<T>().all();
    const auto found = all.find({like.metadata.namespace_, like.metadata.name});
    return found == all.end() ? nullptr : found->second;
  }
}

}  // namespace

std::optional<api::Object> FindObject(const model::Cluster& cluster, const api::Object& like) {
  return std::visit(
      [&](const auto& ref) -> std::optional<api::Object> {
        auto found = FindRef(cluster, *ref);
        if (found == nullptr) return std::nullopt;
        return api::Object(std::move(found));
      },
      like);
}

void WhatIf::Put(const api::Object& object) {
  std::optional<api::Object> before = FindObject(engine_.cluster(), object);
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  if (pod != nullptr) {
    if (before && api::MetaOf(*before).uid != (*pod)->metadata.uid) return;
    if ((*pod)->finished()) return Delete(object);
  }
  if (before) {
    std::string nomination = NominationOf(*before);
    undo_.push_back({*std::move(before), true, std::move(nomination)});
  } else {
    undo_.push_back({object});
  }
  Store(object, pod == nullptr ? "" : (*pod)->status.nominated_node_name);
}

void WhatIf::Delete(const api::Object& object) {
  std::optional<api::Object> before = FindObject(engine_.cluster(), object);
  if (!before) return;
  if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&object)) {
    const model::PodRecord* record = FindPod(engine_.cluster(), **pod);
    if (record->uid() != (*pod)->metadata.uid || record->state != model::PodState::kBound) return;
  }
  Remove(object);
  undo_.push_back({*std::move(before), true});
}

void WhatIf::RevertTo(size_t size) {
  while (undo_.size() > size) {
    const Undo undo = std::move(undo_.back());
    undo_.pop_back();
    if (undo.adds) {
      Store(undo.object, undo.nomination);
    } else {
      Remove(undo.object);
    }
  }
}

void WhatIf::Store(const api::Object& object, const std::string& nomination) {
  model::Cluster& cluster = engine_.parts_->cluster;
  cluster.Put(object);
  if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&object)) {
    const model::PodRecord* record = FindPod(cluster, **pod);
    if (record->state == model::PodState::kPending) cluster.NominateByName(record->id, nomination);
  }
  engine_.parts_->profiles.DropRemovedClasses();
}

void WhatIf::Remove(const api::Object& object) {
  std::visit(
      [&]<typename T>(const std::shared_ptr<const T>& ref) {
        engine_.parts_->cluster.Remove<T>({ref->metadata.namespace_, ref->metadata.name});
      },
      object);
  engine_.parts_->profiles.DropRemovedClasses();
}

std::string WhatIf::NominationOf(const api::Object& object) const {
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  if (pod == nullptr) return "";
  const model::Cluster& cluster = engine_.cluster();
  const model::PodRecord* record = FindPod(cluster, **pod);
  const Symbol node = cluster.nominations().NodeOf(record->id);
  return node.valid() ? std::string(cluster.symbols().Text(node)) : "";
}

}  // namespace berth::scheduler::engine
