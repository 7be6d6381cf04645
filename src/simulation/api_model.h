// ApiModel is the ground truth of a simulated world: the objects as an API server stores them, with
// uids and resource versions.
//
// It executes writes as an API server does, including refusals, and notifies a listener of every
// change, in order. It has no faults itself: Watch and WriteChannel lose, delay and repeat
// messages.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "api/object.h"
#include "scheduler/framework/writes.h"

namespace berth::simulation {

// ObjectId identifies an object across kinds.
struct ObjectId {
  size_t kind = 0;  // Its index in api::Object.
  api::ObjectKey key;

  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

inline ObjectId IdOf(const api::Object& object) { return {object.index(), api::KeyOf(object)}; }

template <typename T>
ObjectId IdOf(api::ObjectKey key) {
  return {api::Object(std::in_place_type<api::Ref<T>>).index(), std::move(key)};
}

inline api::ObjectKey KeyOf(const api::ObjectMeta& meta) { return {meta.namespace_, meta.name}; }

// Returns the object as a T; nullptr if it is of another kind.
template <typename T>
api::Ref<T> As(const api::Object& object) {
  const auto* ref = std::get_if<api::Ref<T>>(&object);
  return ref == nullptr ? nullptr : *ref;
}

// The new state of an object or, if deleted, its last state.
struct Change {
  api::Object object;
  bool deleted = false;
};

class ApiModel {
 public:
  using Listener = std::function<void(const Change&)>;
  explicit ApiModel(Listener listener) : listener_(std::move(listener)) {}

  const std::map<ObjectId, api::Object>& objects() const { return objects_; }
  // Returns nullptr if there is none.
  template <typename T>
  api::Ref<T> Find(const api::ObjectKey& key) const {
    const auto found = objects_.find(IdOf<T>(key));
    return found == objects_.end() ? nullptr : As<T>(found->second);
  }
  // Returns all objects of a kind, ordered by key.
  template <typename T>
  std::vector<api::Ref<T>> All() const {
    std::vector<api::Ref<T>> all;
    for (const auto& [id, object] : objects_) {
      if (auto ref = As<T>(object)) all.push_back(std::move(ref));
    }
    return all;
  }

  // Stores a new object and assigns its uid. The key must be free.
  template <typename T>
  void Create(T object) {
    object.metadata.uid = object.metadata.name + "-" + std::to_string(++last_uid_);
    Update(std::move(object));
  }
  // Replaces the object under the same key.
  template <typename T>
  void Update(T object) {
    object.metadata.resource_version = std::to_string(++version_);
    Store(api::Ref<T>(std::make_shared<const T>(std::move(object))));
  }
  template <typename T>
  void Remove(const api::ObjectKey& key) {
    Erase(IdOf<T>(key));
  }
  void Erase(const ObjectId& id);

  // Deletes the pod: one on a node or with a finalizer becomes terminating, others are removed.
  void DeletePod(const api::Pod& pod, Instant now);
  void AddFinalizer(const api::ObjectKey& pod) { finalizers_.insert(pod); }
  // Removes a terminating pod, as its kubelet and the owners of its finalizers do.
  void FinishDeletion(const api::ObjectKey& pod);
  // Deletes the claim: one with finalizers becomes terminating, and is removed with the last of
  // them.
  void DeleteClaim(const api::ResourceClaim& claim, Instant now);
  // Replaces the claim, or removes it if it is terminating without finalizers.
  void UpdateClaim(api::ResourceClaim claim);
  // Binds the pod, for any scheduler.
  scheduler::framework::WriteResult Bind(const scheduler::framework::BindPod& bind, Instant now);

  scheduler::framework::WriteResult Execute(const scheduler::framework::ApiWrite& write,
                                            Instant now);

 private:
  void Store(api::Object object);
  scheduler::framework::WriteResult Apply(const scheduler::framework::BindPod& bind, Instant now) {
    return Bind(bind, now);
  }
  scheduler::framework::WriteResult Apply(const scheduler::framework::PatchPodStatus& patch,
                                          Instant now);
  scheduler::framework::WriteResult Apply(const scheduler::framework::PatchPodGroupStatus& patch,
                                          Instant now);
  scheduler::framework::WriteResult Apply(const berth::scheduler::framework::DeletePod& remove,
                                          Instant now);
  scheduler::framework::WriteResult Apply(
      const scheduler::framework::UpdatePersistentVolume& update, Instant now);
  scheduler::framework::WriteResult Apply(
      const scheduler::framework::UpdatePersistentVolumeClaim& update, Instant now);
  scheduler::framework::WriteResult Apply(const scheduler::framework::CreateResourceClaim& create,
                                          Instant now);
  scheduler::framework::WriteResult Apply(const scheduler::framework::GetResourceClaim& get,
                                          Instant now);
  scheduler::framework::WriteResult Apply(const scheduler::framework::UpdateResourceClaim& update,
                                          Instant now);
  scheduler::framework::WriteResult Apply(
      const scheduler::framework::UpdateResourceClaimStatus& update, Instant now);
  scheduler::framework::WriteResult Apply(
      const scheduler::framework::UnreserveResourceClaim& unreserve, Instant now);
  scheduler::framework::WriteResult Apply(const scheduler::framework::DeleteResourceClaim& remove,
                                          Instant now);
  scheduler::framework::WriteResult Apply(const scheduler::framework::RecordEvent&, Instant) {
    return {};
  }
  scheduler::framework::WriteResult Apply(const scheduler::framework::CallExtender&, Instant);
  template <typename T>
  scheduler::framework::WriteResult Replace(const T& object);
  // The stored claim that a write of `claim` replaces; an error if it is not the same version.
  std::expected<api::Ref<api::ResourceClaim>, scheduler::framework::WriteResult> Current(
      const api::ResourceClaim& claim) const;
  scheduler::framework::WriteResult WithClaim(const api::ObjectKey& claim) const;

  Listener listener_;
  std::map<ObjectId, api::Object> objects_;
  std::set<api::ObjectKey> finalizers_;
  int64_t version_ = 0;
  int64_t last_uid_ = 0;
};

}  // namespace berth::simulation
