// PodGroups holds the members of each PodGroup: the pods that wait for a node, and those that have
// one. A group exists here while it has members, whether or not there is a PodGroup object.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/meta.h"
#include "scheduler/model/ids.h"

namespace berth::api {
struct Pod;
}

namespace berth::scheduler::model {

struct PodRecord;

// The group that the pod names, in its namespace, if any.
std::optional<api::ObjectKey> GroupNamedBy(const api::Pod& pod);

class PodGroups {
 public:
  struct Members {
    std::set<PodId> pending;
    std::set<PodId> scheduled;  // Assumed or bound.
    size_t size() const { return pending.size() + scheduled.size(); }
  };

  // Counts only those pending pods that have one of these schedulerNames. By default all count.
  // Pods must not have been added yet.
  void CountPendingPodsOf(std::set<std::string> scheduler_names) {
    scheduler_names_ = std::move(scheduler_names);
  }

  // The pod is new, or its state has changed.
  void Put(const PodRecord& pod);
  // Ignores pods without a group.
  void Remove(PodId pod);

  // Without members if it has none.
  const Members& Of(const api::ObjectKey& group) const;

 private:
  std::set<std::string> scheduler_names_;
  std::map<api::ObjectKey, Members> groups_;
  std::unordered_map<PodId, api::ObjectKey> group_of_;
};

}  // namespace berth::scheduler::model
