#include "localcluster/pod_adoption.h"

#include <string>

#include "localcluster/object_json.h"

namespace berth::localcluster {

void PodAdoption::Observe(const Change& change, WorkQueue& queue) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &kind_) return ObserveWorkload(change, queue);
  if (&change.kind != &Pods()) return;
  for (const PodRecord* pod : {change.pod, change.previous_pod}) {
    if (pod && pod->owner_kind == kind_.kind) queue.Add({name.namespace_, pod->owner_name});
  }
  if (change.deleted || selectors_.size() == 0) return;
  const bool relabelled = change.previous && change.previous->labels != change.object.labels;
  if (relabelled && change.pod->owner_kind == kind_.kind) {
    pending_.insert({name.namespace_, change.pod->owner_name});
  }
  // Orphans may be numerous: match them only when they appear, change labels or lose their owner.
  const bool orphaned = change.previous_pod && !change.previous_pod->owner.empty();
  if (!change.pod->owner.empty() || (change.previous && !relabelled && !orphaned)) return;
  for (const ObjectName& workload : selectors_.Matching(change.object)) {
    pending_.insert(workload);
    queue.Add(workload);
  }
}

void PodAdoption::ObserveWorkload(const Change& change, WorkQueue& queue) {
  const ObjectName& name = change.object.key;
  if (change.deleted) {
    selectors_.Remove(name);
    pending_.erase(name);
    return queue.Forget(name);
  }
  // Only the selector of a ReplicationController can change.
  if (!change.previous || &kind_ == &ReplicationControllers()) {
    selectors_.Put(kind_, name, change.document);
    pending_.insert(name);
  }
  queue.Add(name);
}

bool PodAdoption::Owns(const ObjectName& key, const PodRecord& pod) const {
  const api::Selector* selector = selectors_.Find(key);
  return selector && Matches(*selector, *pod.object) && (!may_own_ || may_own_(key, pod.name()));
}

apiserver::store::ObjectPtr PodAdoption::Run(Context& context, const ObjectName& key,
                                             const JsonObject& workload) {
  if (pending_.erase(key) == 0 || !selectors_.Find(key)) return nullptr;
  const JsonObject* metadata = ObjectAt(&workload, "metadata");
  if (At(metadata, "deletionTimestamp")) return nullptr;
  const std::string uid(StringAt(metadata, "uid"));
  apiserver::store::ObjectPtr wrote;
  const auto change = [&](const PodRecord& pod, auto alter) {
    const auto done = context.api.Modify(Pods(), pod.name(), [&](Json& document) {
      JsonObject& own = EnsureObject(document.get_object(), "metadata");
      if (StringAt(&own, "uid") != pod.uid()) return false;
      return alter(own);
    });
    if (done) wrote = *done;
  };
  for (const PodRecord* pod : context.pods.OwnedBy(uid)) {
    if (Owns(key, *pod)) continue;
    change(*pod, [&](JsonObject& own) {
      RemoveOwner(own, uid);
      return true;
    });
  }
  for (const PodRecord* pod : context.pods.OrphansIn(key.namespace_)) {
    if (pod->deleting || !Owns(key, *pod)) continue;
    change(*pod, [&](JsonObject& own) {
      if (ControllerOf(&own) || At(&own, "deletionTimestamp")) return false;
      SetController(own, kind_, workload);
      return true;
    });
  }
  return wrote;
}

}  // namespace berth::localcluster
