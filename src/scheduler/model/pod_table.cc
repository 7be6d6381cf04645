#include "scheduler/model/pod_table.h"

#include <utility>

#include "base/check.h"

namespace berth::scheduler::model {
namespace {

// Neither part contains '/' in a valid object; otherwise the first one separates.
std::string KeyText(const std::string& namespace_, const std::string& name) {
  std::string key;
  key.reserve(namespace_.size() + name.size() + 1);
  key.append(namespace_).push_back('/');
  key.append(name);
  return key;
}

}  // namespace

PodId PodTable::Find(const std::string& namespace_, const std::string& name) const {
  auto found = by_key_.find(KeyText(namespace_, name));
  return found == by_key_.end() ? PodId{} : found->second;
}

PodRecord& PodTable::Add(std::shared_ptr<const api::Pod> object) {
  PodId id;
  if (free_.empty()) {
    id = PodId{static_cast<uint32_t>(records_.size())};
    records_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  const bool added =
      by_key_.emplace(KeyText(object->metadata.namespace_, object->metadata.name), id).second;
  CHECK(added);
  PodRecord& record = records_[id.index()];
  record.id = id;
  record.object = std::move(object);
  return record;
}

void PodTable::Remove(PodId id) {
  PodRecord& record = records_[id.index()];
  by_key_.erase(KeyText(record.object->metadata.namespace_, record.object->metadata.name));
  SetLabels(record, {});
  record = PodRecord{};
  free_.push_back(id);
}

void PodTable::SetLabels(PodRecord& record, LabelSetId labels) {
  if (record.labels == labels) return;
  if (record.labels.valid()) by_labels_.Remove(record.id, record.labels);
  record.labels = labels;
  if (labels.valid()) by_labels_.Add(record.id, labels);
}

void Nominations::Set(PodId pod, Symbol node) {
  const auto old = node_of_.find(pod);
  if (old == node_of_.end() && !node.valid()) return;
  SymbolHolder holder(symbols_);
  if (node.valid()) holder.Hold(node);  // Before the last hold on it may end.
  if (old != node_of_.end()) {
    auto pods = by_node_.find(old->second.node);
    std::erase(pods->second, pod);
    if (pods->second.empty()) by_node_.erase(pods);
    node_of_.erase(old);
  }
  if (!node.valid()) return;
  node_of_.emplace(pod, Nominated{node, std::move(holder)});
  by_node_[node].push_back(pod);
}

Symbol Nominations::NodeOf(PodId pod) const {
  auto found = node_of_.find(pod);
  return found == node_of_.end() ? Symbol{} : found->second.node;
}

const std::vector<PodId>& Nominations::PodsOn(Symbol node) const {
  static const std::vector<PodId> kNone;
  auto found = by_node_.find(node);
  return found == by_node_.end() ? kNone : found->second;
}

}  // namespace berth::scheduler::model
