#include "world/node_lifecycle.h"

#include <algorithm>
#include <array>

#include "apiserver/metadata.h"
#include "apiserver/prepare.h"
#include "world/documents.h"

namespace berth::world {

namespace {

constexpr std::string_view kLeaseNamespace = "kube-node-lease";
// A lease that is late by a quarter of its length counts as expired: after 50 s for one of 40.
constexpr int64_t kDefaultLeaseSeconds = 40;

// When the node counts as silent, going by its lease.
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
  SetString(taint, "timeAdded", apiserver::TimeText(now));
}

void SetTaints(JsonObject& node, Instant now) {
  const JsonObject* status = ObjectAt(&node, "status");
  JsonObject& spec = ObjectIn(node, "spec");
  const bool unschedulable = BoolAt(&spec, "unschedulable");
  JsonArray& taints = ArrayIn(spec, "taints");
  // A node that has said nothing yet keeps the taint that it was made with.
  const bool silent = !ConditionOf(status, "Ready");
  for (const TaintRule& rule : kTaintRules) {
    const std::string_view is = StringAt(ConditionOf(status, rule.condition), "status");
    if (rule.condition == "Ready" && silent) continue;
    SetTaint(taints, rule.key, "NoSchedule", is == rule.status, now);
    if (rule.evicts) SetTaint(taints, rule.key, "NoExecute", is == rule.status, now);
  }
  SetTaint(taints, kUnschedulable, "NoSchedule", unschedulable, now);
  if (taints.empty()) spec.erase("taints");
}

void MarkUnknown(JsonObject& node, Instant now) {
  JsonObject& status = ObjectIn(node, "status");
  for (const std::string_view type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    apiserver::SetCondition(status, type, "Unknown", "NodeStatusUnknown",
                            "Kubelet stopped posting node status.", now);
  }
}

}  // namespace

void NodeLifecycle::Observe(const Change& change) {
  if (&change.kind == &Nodes()) {
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

void NodeLifecycle::Sync(const ObjectName& key) {
  const NodeRecord* node = context_.nodes.Find(key.name);
  if (!node) {
    expiry_.erase(key.name);
    return;
  }
  const Instant now = context_.now();
  const auto expiry = expiry_.find(key.name);
  bool silent = expiry != expiry_.end() && expiry->second <= now;
  if (silent) {
    // It may have been renewed just now.
    const store::ObjectPtr object =
        context_.store().Get(Leases().collection, {std::string(kLeaseNamespace), key.name});
    const Json lease = object ? apiserver::Parse(*object) : Json();
    silent = ExpiryOf(AsObject(lease)).value_or(now) <= now;
  } else if (expiry != expiry_.end()) {
    queue_.AddAt(key, expiry->second);
  }
  bool ready = true;
  const auto done = context_.api.Modify(Nodes(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (silent) MarkUnknown(fields, now);
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
      apiserver::SetCondition(ObjectIn(fields, "status"), "Ready", "False", "NodeNotReady",
                              "Node is not ready", context_.now());
      return true;
    });
  }
}

}  // namespace berth::world
