#include "world/node_leases.h"

#include <algorithm>

#include "admission/metadata.h"
#include "world/documents.h"

namespace berth::world {

namespace {

constexpr int64_t kShortest = 10;
constexpr int64_t kWritesPerSecond = 50;
// A lease lasts as long as four of its renewals.
constexpr int64_t kRenewals = 4;
constexpr std::string_view kNamespace = "kube-node-lease";

}  // namespace

void NodeLeases::Observe(const Change& change) {
  if (&change.kind != &Nodes()) return;
  if (change.deleted) return queue_.Forget(change.object.key);
  const bool ran = change.previous_node && change.previous_node->runs;
  if (change.node->runs && !ran) queue_.Add(change.object.key);
}

Duration NodeLeases::Interval() const {
  const auto nodes = static_cast<int64_t>(context_.nodes.all().size());
  return Duration::Seconds(std::max(kShortest, nodes / kWritesPerSecond));
}

void NodeLeases::Sync(const ObjectName& key) {
  const NodeRecord* node = context_.nodes.Find(key.name);
  if (!node || !node->runs) return;
  const Duration interval = Interval();
  Renew(*node, interval.nanos / Duration::Seconds(1).nanos * kRenewals);
  // Nodes that came together do not stay together.
  const auto nanos = static_cast<uint64_t>(interval.nanos);
  const uint64_t early = std::hash<std::string>()(node->object->uid) % (nanos / 5);
  queue_.AddAt(key, context_.now() + Duration{static_cast<int64_t>(nanos - early)});
}

void NodeLeases::Renew(const NodeRecord& node, int64_t seconds) {
  const ObjectName name{std::string(kNamespace), node.name()};
  const std::string now = apiserver::MicroTimeText(context_.now());
  const auto renewed = context_.api.Modify(Leases(), name, [&](Json& document) {
    JsonObject& spec = ObjectIn(document.get_object(), "spec");
    SetString(spec, "renewTime", now);
    SetInt(spec, "leaseDurationSeconds", seconds);
    return true;
  });
  if (renewed) return;
  JsonObject lease;
  JsonObject& metadata = ObjectIn(lease, "metadata");
  SetString(metadata, "name", node.name());
  JsonObject& owner =
      ArrayIn(metadata, "ownerReferences").emplace_back(boost::json::object_kind).get_object();
  SetString(owner, "apiVersion", "v1");
  SetString(owner, "kind", "Node");
  SetString(owner, "name", node.name());
  SetString(owner, "uid", node.object->uid);
  JsonObject& spec = ObjectIn(lease, "spec");
  SetString(spec, "holderIdentity", node.name());
  SetInt(spec, "leaseDurationSeconds", seconds);
  SetString(spec, "renewTime", now);
  // If somebody was faster, the next renewal is soon enough.
  (void)context_.api.Create(Leases(), kNamespace, std::move(lease));
}

}  // namespace berth::world
