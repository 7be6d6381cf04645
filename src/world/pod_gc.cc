#include "world/pod_gc.h"

#include "world/documents.h"
#include "world/pod_removal.h"

namespace berth::world {

namespace {

// A node may come back, or come after its pods.
constexpr Duration kPatience = Duration::Seconds(40);

}  // namespace

void PodGarbageCollector::Observe(const Change& change) {
  if (&change.kind == &Nodes()) {
    const ObjectName& key = change.object.key;
    if (!change.deleted) return queue_.Forget(key);
    if (!context_.pods.OnNode(key.name).empty()) queue_.AddAt(key, context_.now() + kPatience);
  } else if (&change.kind == &Pods() && !change.deleted) {
    const std::string& node = change.pod->node();
    const bool bound = !change.previous_pod || change.previous_pod->node().empty();
    if (bound && !node.empty() && !context_.nodes.Find(node)) {
      queue_.AddAt({"", node}, context_.now() + kPatience);
    }
  }
}

void PodGarbageCollector::Sync(const ObjectName& key) {
  if (context_.store().Get(Nodes().collection, key)) return;
  for (const PodRecord* pod : context_.pods.OnNode(key.name)) {
    MarkDisrupted(context_, *pod, "DeletionByPodGC", "PodGC: node no longer exists", true);
    (void)context_.api.Delete(Pods(), pod->name(), {.grace_period_seconds = 0, .uid = pod->uid()});
  }
}

}  // namespace berth::world
