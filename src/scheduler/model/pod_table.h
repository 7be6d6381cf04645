// PodTable holds the pods: pending, assumed to run on a node, or bound; and Nominations and
// Preemptions hold what preemption has decided for pending ones.
//
// A pod is identified by namespace and name; a new uid under the same name is a new pod. Ids are
// reused after a pod is deleted.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/meta.h"
#include "api/pod.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/labels.h"
#include "scheduler/model/pods_by_labels.h"

namespace berth::scheduler::model {

enum class PodState : uint8_t {
  kPending,  // On no node.
  kAssumed,  // Scheduled to a node, not yet confirmed by the API.
  kBound,    // The API shows it on a node.
};

struct PodRecord {
  PodId id;
  std::shared_ptr<const api::Pod> object;  // As last seen from the API.
  PodClassId pod_class;
  LabelSetId labels;  // Changed by PodTable::SetLabels alone while the pod is in the table.
  PodState state = PodState::kPending;
  NodeRow node;  // Unless pending; the row need not be present.

  const std::string& uid() const { return object->metadata.uid; }
  api::ObjectKey key() const { return {object->metadata.namespace_, object->metadata.name}; }
  bool terminating() const { return object->metadata.deletion_timestamp.has_value(); }
};

class PodTable {
 public:
  PodTable();
  ~PodTable();
  PodTable(const PodTable&) = delete;
  PodTable& operator=(const PodTable&) = delete;

  PodId Find(const std::string& namespace_, const std::string& name) const;
  const PodRecord& Get(PodId id) const { return records_[id.index()]; }
  PodRecord& Get(PodId id) { return records_[id.index()]; }
  bool Contains(PodId id) const {
    return id.index() < records_.size() && records_[id.index()].id.valid();
  }

  // Adds an empty record under the object's key, which must be free.
  PodRecord& Add(std::shared_ptr<const api::Pod> object);
  void Remove(PodId id);
  void SetLabels(PodRecord& record, LabelSetId labels);

  size_t size() const { return records_.size() - free_.size(); }
  // More than the index of any pod's id.
  size_t id_end() const { return records_.size(); }

  // Calls visit(const PodRecord&) for each pod, by id.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const PodRecord& record : records_) {
      if (record.id.valid()) visit(record);
    }
  }
  // Calls visit(const PodRecord&) for each pod with these labels, in no particular order.
  template <typename Visit>
  void ForEachWith(LabelSetId labels, Visit&& visit) const {
    by_labels_.ForEach(labels, [&](PodId id) { visit(Get(id)); });
  }

 private:
  class Names;

  std::deque<PodRecord> records_;  // A deque, so that records do not move.
  std::vector<PodId> free_;
  std::unique_ptr<Names> names_;
  PodsByLabels by_labels_;
};

// Nominations records the nominated nodes of pending pods, so that pods of lower priority leave the
// capacity to them.
class Nominations {
 public:
  // `symbols` must outlive this.
  explicit Nominations(SymbolTable& symbols) : symbols_(symbols) {}

  // Sets the nominated node of `pod`. An invalid `node` clears it.
  void Set(PodId pod, Symbol node);
  void Clear(PodId pod) { Set(pod, {}); }

  // The nominated node of `pod`, or an invalid symbol.
  Symbol NodeOf(PodId pod) const;
  // The pods nominated to `node`, in order of nomination.
  const std::vector<PodId>& PodsOn(Symbol node) const;
  // The nodes that pods are nominated to, in no particular order.
  const std::unordered_map<Symbol, std::vector<PodId>>& by_node() const { return by_node_; }
  bool empty() const { return by_node_.empty(); }

 private:
  struct Nominated {
    Symbol node;
    SymbolHolder holder;  // The node need not exist.
  };
  SymbolTable& symbols_;
  std::unordered_map<PodId, Nominated> node_of_;
  std::unordered_map<Symbol, std::vector<PodId>> by_node_;
};

// Preemptions records the pods whose victims are being evicted: they must not be tried before the
// last victim is terminating, or its deletion event would not requeue them.
class Preemptions {
 public:
  struct Victim {
    api::ObjectKey pod;
    std::string uid;
  };

  void Begin(const std::string& preemptor_uid) { under_way_[preemptor_uid]; }
  // The last victim is being evicted.
  void LastVictim(const std::string& preemptor_uid, api::ObjectKey pod, std::string uid) {
    under_way_[preemptor_uid] = Victim{std::move(pod), std::move(uid)};
  }
  void End(const std::string& preemptor_uid) { under_way_.erase(preemptor_uid); }

  bool UnderWay(const std::string& preemptor_uid) const {
    return under_way_.contains(preemptor_uid);
  }
  // Returns the last victim, or null if it is not being evicted yet.
  const Victim* LastVictimOf(const std::string& preemptor_uid) const {
    auto found = under_way_.find(preemptor_uid);
    return found != under_way_.end() && found->second ? &*found->second : nullptr;
  }

 private:
  std::map<std::string, std::optional<Victim>> under_way_;
};

}  // namespace berth::scheduler::model
