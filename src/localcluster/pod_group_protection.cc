#include "localcluster/pod_group_protection.h"

#include <algorithm>

#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace {

constexpr std::string_view kFinalizer = "scheduling.k8s.io/podgroup-protection";

}  // namespace

void PodGroupProtection::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &PodGroups()) {
    if (change.deleted) return queue_.Forget(name);
    if (At(ObjectAt(&change.document, "metadata"), "deletionTimestamp")) queue_.Add(name);
    return;
  }
  if (&change.kind != &Pods()) return;
  const auto known = group_of_.find(name);
  if (known == group_of_.end()) {
    // The group of a pod never changes: one without a group costs nothing but this look.
    if (change.deleted || change.previous) return;
    const std::string_view group =
        StringAt(ObjectAt(ObjectAt(&change.document, "spec"), "schedulingGroup"), "podGroupName");
    if (group.empty()) return;
    const ObjectName key{name.namespace_, std::string(group)};
    group_of_.emplace(name, key);
    pods_of_[key].insert(name);
    return;
  }
  const ObjectName group = known->second;
  if (change.deleted) {
    const auto pods = pods_of_.find(group);
    pods->second.erase(name);
    if (pods->second.empty()) pods_of_.erase(pods);
    group_of_.erase(known);
    queue_.Add(group);
  } else if (change.pod->finished()) {
    queue_.Add(group);
  }
}

void PodGroupProtection::Sync(const ObjectName& group) {
  const auto pods = pods_of_.find(group);
  const bool used =
      pods != pods_of_.end() && std::ranges::any_of(pods->second, [&](const ObjectName& name) {
        const PodRecord* pod = context_.pods.Find(name);
        return pod && !pod->finished();
      });
  if (used) return;
  const auto done = context_.api.Modify(PodGroups(), group, [](Json& newest) {
    JsonObject& metadata = EnsureObject(newest.get_object(), "metadata");
    return At(&metadata, "deletionTimestamp") && RemoveText(metadata, "finalizers", kFinalizer);
  });
  if (done) Wrote(group, *done);
}

}  // namespace berth::localcluster
