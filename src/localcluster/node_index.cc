#include "localcluster/node_index.h"

#include <utility>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

using api::JsonObject;

namespace {

NodeRecord ReadNode(apiserver::store::ObjectPtr object, const JsonObject& document) {
  NodeRecord record;
  if (auto node = api::DecodeJsonAs<api::Node>(object->json)) record.node = std::move(*node);
  record.object = std::move(object);
  const JsonObject* annotations = ObjectAt(ObjectAt(&document, "metadata"), "annotations");
  const std::string_view kubelet = StringAt(annotations, kKubeletAnnotation);
  record.has_kubelet = kubelet != "none" && kubelet != "stopped" && record.node != nullptr;
  const JsonObject* status = ObjectAt(&document, "status");
  record.ready = StringAt(ConditionOf(status, "Ready"), "status");
  for (const JsonObject& address : ObjectsAt(status, "addresses")) {
    if (StringAt(&address, "type") == "InternalIP") record.address = StringAt(&address, "address");
  }
  record.pod_cidr = StringAt(ObjectAt(&document, "spec"), "podCIDR");
  if (record.node) record.allocatable = AmountsOf(record.node->status.allocatable);
  record.registered =
      !record.ready.empty() && record.node && record.node->status.allocatable.contains("pods");
  return record;
}

}  // namespace

std::optional<NodeRecord> NodeIndex::Put(apiserver::store::ObjectPtr object,
                                         const JsonObject& document) {
  const std::string name = object->key.name;
  std::optional<NodeRecord> before = Remove(name);
  nodes_.emplace(name, ReadNode(std::move(object), document));
  return before;
}

std::optional<NodeRecord> NodeIndex::Remove(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return std::nullopt;
  NodeRecord record = std::move(found->second);
  nodes_.erase(found);
  return record;
}

const NodeRecord* NodeIndex::Find(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

}  // namespace berth::localcluster
