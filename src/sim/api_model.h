// ApiModel is the truth of a simulated world: the objects as an API server would hold them, with
// uids and resource versions.
//
// It carries out writes the way an API server does, refusals included, and tells a listener of
// every change, in order. It knows no faults: what is lost, late or told twice on the way is the
// business of Watch and WriteChannel.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "framework/writes.h"
#include "sim/object_id.h"

namespace berth::sim {

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
  WriteResult Bind(const BindPod& bind, Instant now);

  WriteResult CarryOut(const ApiWrite& write, Instant now);

 private:
  void Store(api::Object object);
  WriteResult Do(const BindPod& bind, Instant now) { return Bind(bind, now); }
  WriteResult Do(const PatchPodStatus& patch, Instant now);
  WriteResult Do(const berth::DeletePod& remove, Instant now);
  WriteResult Do(const UpdatePersistentVolume& update, Instant now);
  WriteResult Do(const UpdatePersistentVolumeClaim& update, Instant now);
  WriteResult Do(const RecordEvent&, Instant) { return {}; }
  WriteResult Do(const CallExtender&, Instant);
  template <typename T>
  WriteResult Replace(const T& object);

  Listener listener_;
  std::map<ObjectId, api::Object> objects_;
  std::set<api::ObjectKey> finalizers_;
  int64_t version_ = 0;
  int64_t last_uid_ = 0;
};

}  // namespace berth::sim
