// Label sets shared by replicas (PodLabels in a SharedTable), and the affinity terms and selectors
// that match them (PodMatcher).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/pod.h"
#include "base/check.h"
#include "base/hash_mixer.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/label_set_index.h"
#include "scheduler/model/labels.h"

namespace berth::scheduler::model {

// SharedTable holds one copy of each distinct value and counts its holders.
//
// A value's id is stable while it has holders and is reused for another value after that. Acquire
// and Release are one hash lookup each.
template <typename Value, typename IdType, typename Hash>
class SharedTable {
 public:
  // Returns the id of `value`, adding it if it is new, and counts one more holder.
  IdType Acquire(Value value) {
    auto found = ids_.find(value);
    if (found == ids_.end()) {
      const IdType id = NextId();
      found = ids_.emplace(std::move(value), id).first;
      slots_[id.index()] = {&found->first, 0, ++serials_};
    }
    ++slots_[found->second.index()].holders;
    return found->second;
  }

  void Retain(IdType id) { ++slots_[id.index()].holders; }
  // Counts one holder fewer; the last one removes the value. Returns whether that happened.
  bool Release(IdType id) {
    Slot& slot = slots_[id.index()];
    CHECK(slot.holders > 0);
    if (--slot.holders > 0) return false;
    ids_.erase(ids_.find(*slot.value));
    slot = {};
    free_.push_back(id);
    return true;
  }

  const Value& Get(IdType id) const { return *slots_[id.index()].value; }
  // Distinguishes values that had the same id one after the other: what is cached for an id is true
  // while its serial number is the same. Numbers grow; 0 if the id is free.
  uint64_t serial(IdType id) const { return slots_[id.index()].serial; }
  uint64_t newest_serial() const { return serials_; }
  uint32_t holders(IdType id) const { return slots_[id.index()].holders; }
  size_t size() const { return ids_.size(); }
  // An upper bound of all ids.
  size_t capacity() const { return slots_.size(); }

 private:
  struct Slot {
    const Value* value = nullptr;  // Points into ids_, whose nodes do not move.
    uint32_t holders = 0;
    uint64_t serial = 0;
  };

  IdType NextId() {
    if (!free_.empty()) {
      const IdType id = free_.back();
      free_.pop_back();
      return id;
    }
    slots_.emplace_back();
    return IdType{static_cast<uint32_t>(slots_.size() - 1)};
  }

  std::unordered_map<Value, IdType, Hash> ids_;
  std::vector<Slot> slots_;
  std::vector<IdType> free_;
  uint64_t serials_ = 0;
};

// The namespace and labels of a pod, which decide what selectors match it. Replicas share them.
struct PodLabels {
  Symbol namespace_;
  Labels labels;
  friend bool operator==(const PodLabels&, const PodLabels&) = default;
};

struct PodLabelsHash {
  size_t operator()(const PodLabels& pod) const {
    HashMixer mixer(pod.namespace_.value);
    for (const Label& label : pod.labels) {
      mixer.Add(label.key.value);
      mixer.Add(label.value.value);
    }
    return mixer.hash();
  }
};

// PodLabelsTable is a SharedTable of the labels of pods, which holds their symbols.
class PodLabelsTable {
 public:
  // `symbols` must outlive this.
  explicit PodLabelsTable(SymbolTable& symbols) : symbols_(symbols), scratch_(symbols) {}

  LabelSetId Acquire(const api::ObjectMeta& pod);
  void Retain(LabelSetId id) { table_.Retain(id); }
  void Release(LabelSetId id) {
    if (table_.holders(id) == 1) by_label_.Remove(id, table_.Get(id).labels);
    if (table_.Release(id)) held_[id.index()].Clear();
  }

  const PodLabels& Get(LabelSetId id) const { return table_.Get(id); }
  uint64_t serial(LabelSetId id) const { return table_.serial(id); }
  size_t size() const { return table_.size(); }

  // The label sets with each label.
  const LabelSetIndex& by_label() const { return by_label_; }
  // Calls visit(LabelSetId) for each label set, by id.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (uint32_t i = 0; i < table_.capacity(); ++i) {
      if (table_.holders(LabelSetId{i}) > 0) visit(LabelSetId{i});
    }
  }

 private:
  SymbolTable& symbols_;
  SharedTable<PodLabels, LabelSetId, PodLabelsHash> table_;
  LabelSetIndex by_label_;
  std::vector<SymbolHolder> held_;  // By id.
  SymbolHolder scratch_;
};

// PodMatcher is a compiled affinity term or selector: it matches pods of some namespaces with some
// labels.
class PodMatcher {
 public:
  // The pods of one namespace with the given labels.
  PodMatcher(Symbol namespace_, LabelMatcher labels);

  // The pods that an affinity term of a pod in `owner_namespace` selects. A selector that does not
  // parse matches nothing.
  PodMatcher(const api::PodAffinityTerm& term, const std::string& owner_namespace,
             SymbolHolder& symbols);

  // Lets `symbols` hold what this compares with, so that a copy may outlive the original holder.
  void HoldBy(SymbolHolder& symbols) const;
  void MixInto(HashMixer& mixer) const;

  // `namespace_labels` are those of the pod's namespace, empty if it is not known.
  bool Matches(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
               const SymbolTable& symbols) const;

  // The same, as kube-scheduler matches the terms of the pod to be placed: namespace selectors are
  // evaluated for the known namespaces, and also for no labels at all, so that a selector of
  // negations alone matches every namespace.
  bool MatchesForIncoming(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
                          const SymbolTable& symbols) const;

  bool depends_on_namespaces() const { return namespace_selector_.has_value(); }
  // The namespaces that it matches pods of, sorted; empty if that depends on their labels.
  std::span<const Symbol> fixed_namespaces() const {
    return depends_on_namespaces() ? std::span<const Symbol>{} : namespaces_;
  }
  const LabelMatcher& labels() const { return labels_; }
  friend bool operator==(const PodMatcher&, const PodMatcher&) = default;

 private:
  std::vector<Symbol> namespaces_;  // Sorted.
  std::optional<LabelMatcher> namespace_selector_;
  LabelMatcher labels_;
};

}  // namespace berth::scheduler::model
