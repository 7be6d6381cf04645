// Label sets shared by replicas (PodLabels in a SharedTable), and which affinity terms and
// selectors match them (PodMatcher, MatchLists).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/pod.h"
#include "base/check.h"
#include "base/id.h"
#include "scheduler/model/ids.h"
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
    size_t hash = pod.namespace_.value;
    for (const Label& label : pod.labels) {
      hash = (hash ^ label.key.value) * 0x9e3779b97f4a7c15ULL;
      hash = (hash ^ label.value.value) * 0x9e3779b97f4a7c15ULL;
    }
    return hash ^ (hash >> 29);
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
    if (table_.Release(id)) held_[id.index()].Clear();
  }

  const PodLabels& Get(LabelSetId id) const { return table_.Get(id); }
  uint64_t serial(LabelSetId id) const { return table_.serial(id); }
  size_t size() const { return table_.size(); }

 private:
  SymbolTable& symbols_;
  SharedTable<PodLabels, LabelSetId, PodLabelsHash> table_;
  std::vector<SymbolHolder> held_;  // By id.
  SymbolHolder scratch_;
};

// MatchLists caches, for each label set, which entries of a growing list match it, so that each
// pair is evaluated once.
//
// Entries are indices that only grow; Reset drops the cache when they are renumbered or when what
// they match may have changed. It also starts over when it has become too large.
class MatchLists {
 public:
  void Reset() {
    lists_ = std::vector<List>();
    matches_ = 0;
  }

  // Returns the indices below `count` for which matches(index) is true for the labels `id`, in
  // ascending order.
  template <typename Matches>
  const std::vector<uint32_t>& For(LabelSetId id, uint64_t serial, size_t count,
                                   Matches&& matches) {
    if (matches_ > kMaxMatches) Reset();
    if (id.index() >= lists_.size()) lists_.resize(id.index() + 1);
    List& list = lists_[id.index()];
    if (list.serial != serial) {
      matches_ -= list.matching.size();
      list = {serial, 0, {}};
    }
    for (; list.tried < count; ++list.tried) {
      if (!matches(list.tried)) continue;
      list.matching.push_back(static_cast<uint32_t>(list.tried));
      ++matches_;
    }
    return list.matching;
  }

 private:
  // 32 MiB of lists: as many as a thousand entries that match each of eight thousand label sets.
  static constexpr size_t kMaxMatches = size_t{8} << 20;

  struct List {
    uint64_t serial = 0;  // Of the labels that had this id.
    size_t tried = 0;
    std::vector<uint32_t> matching;
  };
  std::vector<List> lists_;  // By label set.
  size_t matches_ = 0;       // In all lists.
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

  // `namespace_labels` are those of the pod's namespace, empty if it is not known.
  bool Matches(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
               const SymbolTable& symbols) const;

  // The same, as kube-scheduler matches the terms of the pod to be placed: namespace selectors are
  // evaluated for the known namespaces, and also for no labels at all, so that a selector of
  // negations alone matches every namespace.
  bool MatchesForIncoming(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
                          const SymbolTable& symbols) const;

  bool depends_on_namespaces() const { return namespace_selector_.has_value(); }
  friend bool operator==(const PodMatcher&, const PodMatcher&) = default;

 private:
  std::vector<Symbol> namespaces_;  // Sorted.
  std::optional<LabelMatcher> namespace_selector_;
  LabelMatcher labels_;
};

}  // namespace berth::scheduler::model
