// Eviction carries out a preemption: it takes the victims off the node that was chosen for a more
// important pod.
//
// A coroutine: each victim gets the DisruptionTarget condition and is then deleted. All but the
// last go side by side; the last follows, so that its end, which wakes the waiting pod, comes when
// all others are on their way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::model {
class Cluster;
class Preemptions;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::engine {

class Eviction {
 public:
  struct Victim {
    api::ObjectKey pod;
    std::string uid;
    std::string resource_version;
    int64_t generation = 0;
    std::optional<api::PodCondition> condition;  // DisruptionTarget, if it carries that already.
  };
  struct Plan {
    api::ObjectKey preemptor;
    std::string preemptor_uid;
    std::string scheduler_name;
    std::string node;
    std::vector<Victim> victims;  // Most important first; none is terminating.
    std::vector<Victim>
        lower_nominations;  // Less important pods that were promised room on the node.
    Instant since = {};     // When it was decided.
  };

  // What preempting `victims` on `node` for `preemptor` takes. No victims are left if all are
  // terminating.
  static Plan MakePlan(const model::Cluster& cluster, const model::PodRecord& preemptor,
                       Symbol node, const std::vector<model::PodId>& victims);

  // What an eviction works with; all outlives it.
  struct Services {
    Outbox& outbox;
    model::Preemptions& preemptions;  // Is told when the last victim's turn comes.
    // Stops the binding of a victim that is not bound yet. False if it must be deleted.
    std::function<bool(const std::string& uid)> stop_binding;
    std::vector<Eviction*>& finished;  // An eviction that is done adds itself.
  };

  Eviction(Plan plan, const Services& services);

  void Start() { task_.Start(); }
  // Success if all victims are gone or on their way. Only when finished.
  const framework::Verdict& verdict() const { return task_.result(); }
  const Plan& plan() const { return plan_; }

 private:
  Task<framework::Verdict> Run();
  Task<framework::Verdict> Evict(const Victim& victim);
  // The DisruptionTarget condition that the victim is to carry.
  api::PodCondition ConditionOf(const Victim& victim) const;
  void RecordEviction(const Victim& victim, std::string_view how);

  const Plan plan_;
  Services services_;
  Task<framework::Verdict> task_;
};

}  // namespace berth::scheduler::engine
