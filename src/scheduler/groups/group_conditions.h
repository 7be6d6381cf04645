// GroupConditions writes the PodGroupScheduled condition of groups.
//
// It remembers what it wrote until the API shows it, so that a condition which is True never
// becomes False because the watch is late.
#pragma once

#include <map>
#include <string>

#include "api/pod_group.h"
#include "base/task.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::groups {

class GroupConditions {
 public:
  // `background` runs the writes, and must outlive this.
  explicit GroupConditions(framework::Background& background) : background_(background) {}

  // Writes the outcome of a cycle of `group`, unless its condition says so already, or it was
  // scheduled once.
  void Update(const api::PodGroup& group, const framework::Verdict& outcome);
  // The API shows the group as it is now.
  void Seen(const api::PodGroup& group);
  // The group was deleted.
  void Forget(const std::string& uid) { latest_.erase(uid); }

 private:
  struct Latest {
    api::PodCondition condition;
    bool writing = false;
  };

  Task<framework::Verdict> Write(api::ObjectKey group, std::string uid);

  framework::Background& background_;
  std::map<std::string, Latest> latest_;  // By uid: what was written and is not seen yet.
};

}  // namespace berth::scheduler::groups
