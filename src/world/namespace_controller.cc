#include "world/namespace_controller.h"

#include "world/documents.h"

namespace berth::world {

namespace {

// To count again what is left, should a change have been missed.
constexpr Duration kRecount = Duration::Seconds(10);

}  // namespace

void NamespaceController::Observe(const Change& change) {
  if (&change.kind == &Namespaces()) {
    const ObjectName& key = change.object.key;
    if (change.deleted) {
      left_.erase(key.name);
      return queue_.Forget(key);
    }
    const bool ends = At(ObjectAt(&change.document, "metadata"), "deletionTimestamp") != nullptr;
    if (ends && !left_.contains(key.name)) queue_.Add(key);
  } else if (change.deleted && !left_.empty()) {
    const auto left = left_.find(change.object.key.namespace_);
    if (left == left_.end()) return;
    if (left->second > 0) --left->second;
    if (left->second == 0) queue_.Add({"", left->first});
  }
}

void NamespaceController::Sync(const ObjectName& key) {
  const store::ObjectPtr object = context_.store().Get(Namespaces().collection, key);
  if (!object) return;
  const Json parsed = apiserver::Parse(*object);
  if (!At(ObjectAt(AsObject(parsed), "metadata"), "deletionTimestamp")) return;
  const size_t left = context_.api.DeleteNamespaceContent(key.name, std::nullopt);
  left_[key.name] = left;
  if (left > 0) return queue_.AddAt(key, context_.now() + kRecount);
  (void)context_.api.Modify(Namespaces(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != object->uid) return false;
    return RemoveText(ObjectIn(fields, "spec"), "finalizers", "kubernetes");
  });
}

}  // namespace berth::world
