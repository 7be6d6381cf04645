// ParkedPods are the pods that wait for something to happen, because plugins rejected them or gate
// them.
//
// Pods that the same event would help are in one group: copies of one template, rejected by the
// same plugins. So ten thousand of them cost one question per event, not ten thousand.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/cluster.h"
#include "queue/pod_likeness.h"
#include "queue/queue_entry.h"

namespace berth {

class ParkedPods {
 public:
  struct Group {
    std::vector<QueueEntry*> members;  // At least one; any of them speaks for all.
  };

  explicit ParkedPods(const Cluster& cluster) : cluster_(cluster) {}

  void Insert(QueueEntry& entry);
  // The entry may have changed meanwhile.
  void Erase(QueueEntry& entry);

  // Calls visit(const Group&) for each group, always in the same order. `visit` must not change
  // anything here.
  template <typename Visit>
  void ForEachGroup(Visit&& visit) const {
    for (const auto& [key, group] : groups_) visit(group);
  }

  // The pods that are parked since `since` or longer, longest first.
  std::vector<QueueEntry*> ParkedSince(Instant since) const;
  // When the pod that waits longest was parked. There must be one.
  Instant oldest() const { return by_age_.begin()->first; }

  size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  size_t gated() const { return gated_; }

 private:
  // What the answer to "may this event help?" depends on.
  struct Key {
    PodLikeness likeness;
    Rejectors rejectors;
    size_t gate;  // The plugin's slot, or none.
    PodId pod;    // Of a pod that is a case of its own.
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Slot {
    std::map<Key, Group>::iterator group;
    size_t index;  // Among its members.
    Instant since;
    bool gated;
  };

  Key KeyOf(const QueueEntry& entry) const;

  const Cluster& cluster_;
  std::map<Key, Group> groups_;
  std::unordered_map<QueueEntry*, Slot> slots_;
  std::set<std::pair<Instant, QueueEntry*>> by_age_;
  size_t gated_ = 0;
};

}  // namespace berth
