// GroupConditions writes the PodGroupScheduled condition of groups.
//
// It remembers what it wrote until the API shows it, so that a condition which is True never
// becomes False because the watch is late.
#pragma once

#include <map>
#include <string>

#include "api/pod_group.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/framework/verdict.h"

namespace berth::scheduler::engine {

class GroupConditions {
 public:
  // Both must outlive this.
  GroupConditions(Outbox& outbox, BackgroundTasks& background)
      : outbox_(outbox), background_(background) {}

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

  Outbox& outbox_;
  BackgroundTasks& background_;
  std::map<std::string, Latest> latest_;  // By uid: what was written and is not seen yet.
};

}  // namespace berth::scheduler::engine
