// ObjectId names an object among all kinds.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "api/object.h"
#include "scheduler/framework/writes.h"

namespace berth::simulation {

struct ObjectId {
  size_t kind = 0;  // Its place in api::Object.
  api::ObjectKey key;

  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

inline ObjectId IdOf(const api::Object& object) { return {object.index(), api::KeyOf(object)}; }

template <typename T>
ObjectId IdOf(api::ObjectKey key) {
  return {api::Object(std::in_place_type<api::Ref<T>>).index(), std::move(key)};
}

inline api::ObjectKey KeyOf(const api::ObjectMeta& meta) { return {meta.namespace_, meta.name}; }

// The object as a T; nullptr if it is of another kind.
template <typename T>
api::Ref<T> As(const api::Object& object) {
  const auto* ref = std::get_if<api::Ref<T>>(&object);
  return ref == nullptr ? nullptr : *ref;
}

// ApiModel is the truth of a simulated world: the objects as an API server would hold them, with
// uids and resource versions.
//
// It carries out writes the way an API server does, refusals included, and tells a listener of
// every change, in order. It knows no faults: what is lost, late or told twice on the way is the
// business of Watch and WriteChannel.
// The object now looks like this, or is gone and last looked like this.
struct Change {
  api::Object object;
  bool gone = false;
};

class ApiModel {
 public:
  using Listener = std::function<void(const Change&)>;
  explicit ApiModel(Listener listener) : listener_(std::move(listener)) {}

  const std::map<ObjectId, api::Object>& objects() const { return objects_; }
  // nullptr if there is none.
  template <typename T>
  api::Ref<T> Find(const api::ObjectKey& key) const {
    const auto found = objects_.find(IdOf<T>(key));
    return found == objects_.end() ? nullptr : As<T>(found->second);
  }
  // All objects of a kind, by key.
  template <typename T>
  std::vector<api::Ref<T>> All() const {
    std::vector<api::Ref<T>> all;
    for (const auto& [id, object] : objects_) {
      if (auto ref = As<T>(object)) all.push_back(std::move(ref));
    }
    return all;
  }

  // The key must be free. The object gets a uid.
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

  // A pod on a node, and one with a finalizer, is terminating for a while; others go at once.
  void DeletePod(const api::Pod& pod, Instant now);
  void AddFinalizer(const api::ObjectKey& pod) { finalizers_.insert(pod); }
  // The kubelet and whoever holds a finalizer are done with the terminating pod.
  void FinishDeletion(const api::ObjectKey& pod);
  // Binds the pod for whoever asks.
  scheduler::framework::WriteResult Bind(const scheduler::framework::BindPod& bind, Instant now);

  scheduler::framework::WriteResult Execute(const scheduler::framework::ApiWrite& write,
                                            Instant now);

 private:
  void Store(api::Object object);
  scheduler::framework::WriteResult Do(const scheduler::framework::BindPod& bind, Instant now) {
    return Bind(bind, now);
  }
  scheduler::framework::WriteResult Do(const scheduler::framework::PatchPodStatus& patch,
                                       Instant now);
  scheduler::framework::WriteResult Do(const berth::scheduler::framework::DeletePod& remove,
                                       Instant now);
  scheduler::framework::WriteResult Do(const scheduler::framework::UpdatePersistentVolume& update,
                                       Instant now);
  scheduler::framework::WriteResult Do(
      const scheduler::framework::UpdatePersistentVolumeClaim& update, Instant now);
  scheduler::framework::WriteResult Do(const scheduler::framework::RecordEvent&, Instant) {
    return {};
  }
  scheduler::framework::WriteResult Do(const scheduler::framework::CallExtender&, Instant);
  template <typename T>
  scheduler::framework::WriteResult Replace(const T& object);

  Listener listener_;
  std::map<ObjectId, api::Object> objects_;
  std::set<api::ObjectKey> finalizers_;
  int64_t version_ = 0;
  int64_t last_uid_ = 0;
};

}  // namespace berth::simulation
