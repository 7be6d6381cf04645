// PodSignature is what decides how a pod fares: copies of one template have the same, and what is
// true of one of them, as long as nothing changes, is true of all.
//
// Pods whose volumes are named after them (HasEphemeralVolumes) are each a case of their own.
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

struct PodSignature {
  size_t profile = 0;  // The profile that serves the pod.
  model::PodClassId pod_class;
  model::LabelSetId labels;
  std::string owner;  // The uid: default spread constraints look for the owner's pods.

  friend auto operator<=>(const PodSignature&, const PodSignature&) = default;
};

PodSignature SignatureOf(const model::PodRecord& pod, size_t profile);

bool HasEphemeralVolumes(const api::PodSpec& spec);

// UnschedulablePods are the pods that wait for something to happen, because plugins rejected them
// or gate them.
//
// Pods that the same event would help are in one group: copies of one template, rejected by the
// same plugins. So ten thousand of them cost one question per event, not ten thousand.
class UnschedulablePods {
 public:
  struct Group {
    std::vector<QueueEntry*> members;  // At least one; any of them speaks for all.
  };

  explicit UnschedulablePods(const model::Cluster& cluster) : cluster_(cluster) {}

  void Insert(QueueEntry& entry);
  // The entry may have changed meanwhile.
  void Erase(QueueEntry& entry);

  // Calls visit(const Group&) for each group, always in the same order. `visit` must not change
  // anything here.
  template <typename Visit>
  void ForEachGroup(Visit&& visit) const {
    for (const auto& [key, group] : groups_) visit(group);
  }

  // The pods that are unschedulable since `since` or longer, longest first.
  std::vector<QueueEntry*> UnschedulableSince(Instant since) const;
  // When the pod that waits longest was unschedulable. There must be one.
  Instant oldest() const { return by_age_.begin()->first; }

  size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  size_t gated() const { return gated_; }

 private:
  // What the answer to "may this event help?" depends on.
  struct Key {
    PodSignature signature;
    Rejectors rejectors;
    size_t gate;       // The plugin's slot, or none.
    model::PodId pod;  // Of a pod that is a case of its own.
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
