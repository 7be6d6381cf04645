#include "scheduler/model/pod_table.h"

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/string_hash.h"

namespace berth::scheduler::model {

// Names finds pods by namespace and name. It stores ids and hashes; the names are in the records.
class PodTable::Names {
 public:
  explicit Names(const std::deque<PodRecord>& records) : ids_(0, Hash{}, Equal{&records}) {}

  PodId Find(std::string_view namespace_, std::string_view name) const {
    const auto found = ids_.find(Name{namespace_, name, HashOf(namespace_, name)});
    return found == ids_.end() ? PodId{} : found->id;
  }
  // The record of `id` must have the object. Returns false if another pod has its name.
  bool Add(PodId id, const api::ObjectMeta& meta) {
    const uint32_t hash = HashOf(meta.namespace_, meta.name);
    return !ids_.contains(Name{meta.namespace_, meta.name, hash}) && ids_.insert({id, hash}).second;
  }
  void Remove(PodId id, const api::ObjectMeta& meta) {
    ids_.erase({id, HashOf(meta.namespace_, meta.name)});
  }

 private:
  struct Entry {
    PodId id;
    uint32_t hash;
  };
  struct Name {
    std::string_view namespace_, name;
    uint32_t hash;
  };
  struct Hash {
    using is_transparent = void;
    template <typename T>  // An Entry or a Name.
    size_t operator()(const T& of) const {
      return of.hash;  // Boost mixes it.
    }
  };
  struct Equal {
    using is_transparent = void;
    const std::deque<PodRecord>* records;
    bool operator()(const Entry& a, const Entry& b) const { return a.id == b.id; }
    bool operator()(const Name& name, const Entry& entry) const {
      if (name.hash != entry.hash) return false;
      const api::ObjectMeta& meta = (*records)[entry.id.index()].object->metadata;
      return meta.name == name.name && meta.namespace_ == name.namespace_;
    }
    bool operator()(const Entry& entry, const Name& name) const { return (*this)(name, entry); }
  };

  static uint32_t HashOf(std::string_view namespace_, std::string_view name) {
    std::array<char, 512> buffer;  // Names and namespaces have at most 253 and 63 characters.
    const size_t size = namespace_.size() + 1 + name.size();
    if (size > buffer.size())
      return static_cast<uint32_t>(StringHash()(namespace_) * 31 + StringHash()(name));
    std::memcpy(buffer.data(), namespace_.data(), namespace_.size());
    buffer[namespace_.size()] = '/';
    std::memcpy(&buffer[namespace_.size() + 1], name.data(), name.size());
    return static_cast<uint32_t>(StringHash()({buffer.data(), size}));
  }

  boost::unordered_flat_set<Entry, Hash, Equal> ids_;
};

PodTable::PodTable() : names_(std::make_unique<Names>(records_)) {}
PodTable::~PodTable() = default;

PodId PodTable::Find(const std::string& namespace_, const std::string& name) const {
  return names_->Find(namespace_, name);
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
  PodRecord& record = records_[id.index()];
  record.id = id;
  record.object = std::move(object);
  const bool added = names_->Add(id, record.object->metadata);
  CHECK(added);
  return record;
}

void PodTable::Remove(PodId id) {
  PodRecord& record = records_[id.index()];
  names_->Remove(id, record.object->metadata);
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
