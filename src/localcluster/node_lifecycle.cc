#include "localcluster/node_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/json/decode.h"
#include "api/timestamp.h"
#include "apiserver/admission/strategy.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

void MarkDisrupted(Context& context, const PodRecord& pod, std::string_view reason,
                   std::string_view message, bool fail) {
  // Fails only if the pod is gone, and then there is nothing to mark.
  (void)context.api.Modify(Pods(), pod.name(), [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != pod.uid()) return false;
    JsonObject& status = EnsureObject(fields, "status");
    apiserver::admission::SetCondition(status, "DisruptionTarget", "True", reason, message,
                                       context.now());
    const std::string_view phase = StringAt(&status, "phase");
    if (fail && phase != "Succeeded" && phase != "Failed") SetString(status, "phase", "Failed");
    return true;
  });
}

namespace {

constexpr std::string_view kLeaseNamespace = "kube-node-lease";
// A lease has a grace period of a quarter of its duration: 50 s in total for one of 40 s.
constexpr int64_t kDefaultLeaseSeconds = 40;

// Returns when the lease's grace period ends.
std::optional<Instant> ExpiryOf(const JsonObject* lease) {
  const JsonObject* spec = ObjectAt(lease, "spec");
  const auto renewed = TimeAt(spec, "renewTime");
  if (!renewed) return std::nullopt;
  const int64_t seconds = IntAt(spec, "leaseDurationSeconds").value_or(kDefaultLeaseSeconds);
  return *renewed + Duration::Seconds(seconds + seconds / 4);
}

struct TaintRule {
  std::string_view condition;
  std::string_view status;
  std::string_view key;
  bool evicts;
};
constexpr std::array<TaintRule, 6> kTaintRules = {{
    {"Ready", "False", "node.kubernetes.io/not-ready", true},
    {"Ready", "Unknown", "node.kubernetes.io/unreachable", true},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure", false},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure", false},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure", false},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable", false},
}};
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

constexpr std::string_view kNodeController = "node-controller";

void SetTaint(JsonArray& taints, std::string_view key, std::string_view effect, bool wanted,
              Instant now) {
  const auto found = std::ranges::find_if(taints, [&](const Json& taint) {
    const JsonObject* fields = AsObject(taint);
    return StringAt(fields, "key") == key && StringAt(fields, "effect") == effect;
  });
  if ((found != taints.end()) == wanted) return;
  if (!wanted) {
    taints.erase(found);
    return;
  }
  JsonObject& taint = taints.emplace_back(boost::json::object_kind).get_object();
  SetString(taint, "key", key);
  SetString(taint, "effect", effect);
  SetString(taint, "timeAdded", api::FormatTime(now));
}

void SetTaints(JsonObject& node, Instant now) {
  JsonObject& spec = EnsureObject(node, "spec");
  const JsonObject* status = ObjectAt(&node, "status");
  const bool unschedulable = BoolAt(&spec, "unschedulable");
  JsonArray& taints = EnsureArray(spec, "taints");
  // A node without status retains the taint that it was created with.
  const bool no_status = !ConditionOf(status, "Ready");
  for (const TaintRule& rule : kTaintRules) {
    const std::string_view actual = StringAt(ConditionOf(status, rule.condition), "status");
    if (rule.condition == "Ready" && no_status) continue;
    SetTaint(taints, rule.key, "NoSchedule", actual == rule.status, now);
    if (rule.evicts) SetTaint(taints, rule.key, "NoExecute", actual == rule.status, now);
  }
  SetTaint(taints, kUnschedulable, "NoSchedule", unschedulable, now);
  if (taints.empty()) spec.erase("taints");
}

void MarkUnknown(JsonObject& node, Instant now) {
  JsonObject& status = EnsureObject(node, "status");
  for (const std::string_view type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    apiserver::admission::SetCondition(status, type, "Unknown", "NodeStatusUnknown",
                                       "Kubelet stopped posting node status.", now);
  }
}

}  // namespace

void NodeLifecycle::Observe(const Change& change) {
  if (&change.kind == &Nodes()) {
    RecordChange(change);
    if (!change.deleted) return queue_.Add(change.object.key);
    expiry_.erase(change.object.key.name);
    return queue_.Forget(change.object.key);
  }
  if (&change.kind != &Leases() || change.object.key.namespace_ != kLeaseNamespace) return;
  const std::string& node = change.object.key.name;
  if (change.deleted) {
    expiry_.erase(node);
    return;
  }
  const auto expires = ExpiryOf(&change.document);
  if (!expires) return;
  expiry_[node] = *expires;
  queue_.AddAt({"", node}, *expires);
}

void NodeLifecycle::RecordChange(const Change& change) {
  const std::string& name = change.object.key.name;
  const auto record = [&](std::string_view reason, std::string message) {
    context_.events.Record(InvolvedObject::Of(Nodes(), change.object), EventType::kNormal, reason,
                           std::move(message), kNodeController);
  };
  if (change.deleted) {
    record("RemovingNode",
           fmt::format("Node {} event: Removing Node {} from Controller", name, name));
  } else if (!change.previous_node) {
    record("RegisteredNode",
           fmt::format("Node {} event: Registered Node {} in Controller", name, name));
  } else if (change.previous_node->ready == "True" && change.node->ready != "True") {
    record("NodeNotReady", fmt::format("Node {} status is now: NodeNotReady", name));
  }
}

void NodeLifecycle::Sync(const ObjectName& key) {
  const NodeRecord* node = context_.nodes.Find(key.name);
  if (!node) {
    expiry_.erase(key.name);
    return;
  }
  const Instant now = context_.now();
  const auto expiry = expiry_.find(key.name);
  bool expired = expiry != expiry_.end() && expiry->second <= now;
  if (expired) {
    // Read the newest lease: the event of a renewal may be pending.
    const apiserver::store::ObjectPtr object =
        context_.store().Get(Leases().collection, {std::string(kLeaseNamespace), key.name});
    const Json lease = object ? apiserver::store::Parse(*object) : Json();
    expired = ExpiryOf(AsObject(lease)).value_or(now) <= now;
  } else if (expiry != expiry_.end()) {
    queue_.AddAt(key, expiry->second);
  }
  bool ready = true;
  const auto done = context_.api.Modify(Nodes(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (expired) MarkUnknown(fields, now);
    SetTaints(fields, now);
    const JsonObject* condition = ConditionOf(ObjectAt(&fields, "status"), "Ready");
    ready = !condition || StringAt(condition, "status") == "True";
    return true;
  });
  if (done) Wrote(key, *done);
  if (!ready) MarkPodsNotReady(key.name);
}

void NodeLifecycle::MarkPodsNotReady(const std::string& node) {
  for (const PodRecord* pod : context_.pods.OnNode(node)) {
    if (!pod->ready) continue;
    (void)context_.api.Modify(Pods(), pod->name(), [&](Json& newest) {
      JsonObject& fields = newest.get_object();
      if (StringAt(ObjectAt(&fields, "metadata"), "uid") != pod->uid()) return false;
      apiserver::admission::SetCondition(EnsureObject(fields, "status"), "Ready", "False",
                                         "NodeNotReady", "Node is not ready", context_.now());
      return true;
    });
    context_.events.Record(InvolvedObject::Of(Pods(), *pod->object), EventType::kWarning,
                           "NodeNotReady", "Node is not ready", kNodeController);
  }
}

namespace {

bool Evicts(const api::Taint& taint) { return taint.effect == "NoExecute"; }

bool HasEvictingTaint(const NodeRecord* node) {
  return node && node->node && std::ranges::any_of(node->node->spec.taints, Evicts);
}

// Returns when the pod must be evicted; nullopt if never. A taint without timeAdded counts as added
// now.
std::optional<Instant> EvictionTime(const NodeRecord& node, const api::Pod& pod, Instant now) {
  const Json document = apiserver::store::Parse(*node.object);
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
  context_.events.Record(InvolvedObject::Of(Pods(), *pod->object), EventType::kNormal,
                         "TaintManagerEviction",
                         fmt::format("Marking for deletion Pod {}/{}", key.namespace_, key.name),
                         "taint-eviction-controller");
  const auto deleted = context_.api.Delete(Pods(), key, {.uid = pod->uid()});
  if (deleted) Wrote(key, deleted->object);
}

namespace {

// Deleted nodes may be recreated, and pods may arrive before their node.
constexpr Duration kQuarantine = Duration::Seconds(40);

}  // namespace

void PodGarbageCollector::Observe(const Change& change) {
  if (&change.kind == &Nodes()) {
    const ObjectName& key = change.object.key;
    if (!change.deleted) return queue_.Forget(key);
    if (!context_.pods.OnNode(key.name).empty()) queue_.AddAt(key, context_.now() + kQuarantine);
  } else if (&change.kind == &Pods() && !change.deleted) {
    const std::string& node = change.pod->node();
    const bool bound = !change.previous_pod || change.previous_pod->node().empty();
    if (bound && !node.empty() && !context_.nodes.Find(node)) {
      queue_.AddAt({"", node}, context_.now() + kQuarantine);
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

}  // namespace berth::localcluster
