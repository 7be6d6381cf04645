#include "world/taint_eviction.h"

#include <algorithm>
#include <vector>

#include "api/decode.h"
#include "apiserver/prepare.h"
#include "world/documents.h"
#include "world/pod_removal.h"

namespace berth::world {

namespace {

bool Evicts(const api::Taint& taint) { return taint.effect == "NoExecute"; }

bool HasEvictingTaint(const NodeRecord* node) {
  return node && node->node && std::ranges::any_of(node->node->spec.taints, Evicts);
}

// When the pod has to go; nothing if never. Taints that say not when they came, came now.
std::optional<Instant> EvictionTime(const NodeRecord& node, const api::Pod& pod, Instant now) {
  const Json document = apiserver::Parse(*node.object);
  const JsonObject* spec = ObjectAt(AsObject(document), "spec");
  std::optional<Instant> earliest;
  for (const JsonObject& fields : ObjectsAt(spec, "taints")) {
    const api::Taint taint{std::string(StringAt(&fields, "key")),
                           std::string(StringAt(&fields, "value")),
                           std::string(StringAt(&fields, "effect"))};
    if (!Evicts(taint)) continue;
    bool tolerated = false;
    std::optional<int64_t> seconds;
    for (const api::Toleration& toleration : pod.spec.tolerations) {
      if (!api::Tolerates(toleration, taint)) continue;
      tolerated = true;
      const auto own = toleration.toleration_seconds;
      if (own && (!seconds || *own < *seconds)) seconds = std::max<int64_t>(0, *own);
    }
    if (tolerated && !seconds) continue;
    const Instant since = TimeAt(&fields, "timeAdded").value_or(now);
    const Instant due = tolerated ? since + Duration::Seconds(*seconds) : now;
    if (!earliest || due < *earliest) earliest = due;
  }
  return earliest;
}

}  // namespace

void TaintEviction::Observe(const Change& change) {
  if (&change.kind == &Pods()) {
    if (change.deleted) return queue_.Forget(change.object.key);
    const bool bound = !change.previous_pod || change.previous_pod->node().empty();
    if (bound && HasEvictingTaint(context_.nodes.Find(change.pod->node()))) {
      queue_.Add(change.object.key);
    }
  } else if (&change.kind == &Nodes() && !change.deleted && HasEvictingTaint(change.node)) {
    const NodeRecord* before = change.previous_node;
    if (before && before->node && before->node->spec.taints == change.node->node->spec.taints) {
      return;
    }
    for (const PodRecord* pod : context_.pods.OnNode(change.object.key.name)) {
      queue_.Add(pod->name());
    }
  }
}

void TaintEviction::Sync(const ObjectName& key) {
  const PodRecord* pod = context_.pods.Find(key);
  if (!pod || pod->deleting || pod->finished()) return;
  const NodeRecord* node = context_.nodes.Find(pod->node());
  if (!HasEvictingTaint(node)) return;
  const auto decoded = api::DecodeJsonAs<api::Pod>(pod->object->json);
  if (!decoded) return;
  const Instant now = context_.now();
  const auto due = EvictionTime(*node, **decoded, now);
  if (!due) return;
  if (now < *due) return queue_.AddAt(key, *due);
  MarkDisrupted(context_, *pod, "DeletionByTaintManager",
                "Taint manager: deleting due to NoExecute taint", false);
  const auto gone = context_.api.Delete(Pods(), key, {.uid = pod->uid()});
  if (gone) Wrote(key, gone->object);
}

}  // namespace berth::world
