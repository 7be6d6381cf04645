// UnschedulablePods: the pods that wait for an event, grouped by signature.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/model/ids.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::api {
struct PodSpec;
}
namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::queue {

// PodSignature identifies pods that schedule alike: copies of one template have the same signature,
// and what is true of one of them, while nothing changes, is true of all.
//
// Pods with volumes or claims that are made for each of them (HasOwnObjects) are never alike.
struct PodSignature {
  size_t profile = 0;  // The profile that serves the pod.
  model::PodClassId pod_class;
  model::LabelSetId labels;
  std::string owner;  // The uid: default spread constraints count the owner's pods.

  friend auto operator<=>(const PodSignature&, const PodSignature&) = default;
};

PodSignature SignatureOf(const model::PodRecord& pod, size_t profile);

// Reports whether the pod has ephemeral volumes, or resource claims from templates.
bool HasOwnObjects(const api::PodSpec& spec);

// UnschedulablePods are the pods that wait for an event, because plugins rejected them or gate
// them.
//
// Pods that the same events requeue are in one group: copies of one template, rejected by the same
// plugins. So ten thousand of them cost one QueueingHint per event, not ten thousand.
class UnschedulablePods {
 public:
  struct Group {
    std::vector<QueueEntry*> members;  // At least one; hints are the same for all.
  };

  explicit UnschedulablePods(const model::Cluster& cluster) : cluster_(cluster) {}

  void Insert(QueueEntry& entry);
  // The entry may have changed meanwhile.
  void Erase(QueueEntry& entry);

  // Calls visit(const Group&) for each group, always in the same order. `visit` must not change
  // this.
  template <typename Visit>
  void ForEachGroup(Visit&& visit) const {
    for (const auto& [key, group] : groups_) visit(group);
  }

  // Returns the pods that are unschedulable since `since` or longer, longest first.
  std::vector<QueueEntry*> UnschedulableSince(Instant since) const;
  // When the pod that waits longest became unschedulable. There must be one.
  Instant oldest() const { return by_age_.begin()->first; }

  size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  size_t gated() const { return gated_; }

 private:
  // What queueing hints depend on.
  struct Key {
    PodSignature signature;
    Rejectors rejectors;
    size_t gate;        // The plugin's slot, or none.
    model::PodId pod;   // Of a pod with ephemeral volumes.
    std::string group;  // The pod's, if pods have groups: GangScheduling's hints are about it.
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Slot {
    std::map<Key, Group>::iterator group;
    size_t index;  // Among its members.
    Instant since;
    bool gated;
  };

  Key KeyOf(const QueueEntry& entry) const;

  const model::Cluster& cluster_;
  std::map<Key, Group> groups_;
  std::unordered_map<QueueEntry*, Slot> slots_;
  std::set<std::pair<Instant, QueueEntry*>> by_age_;
  size_t gated_ = 0;
};

}  // namespace berth::scheduler::queue
