// Eviction executes a preemption: it evicts the victims from the node that was chosen for a pod of
// higher priority.
//
// A coroutine: each victim gets the DisruptionTarget condition and is then deleted. All but the
// last are evicted in parallel; the last follows, because its deletion event requeues the
// preemptor, and by then all others must be terminating.
//
// Without the feature SchedulerAsyncPreemption the preemptor's scheduling cycle lasts until the
// eviction has ended, and no other pod is scheduled meanwhile. All victims are then evicted in
// parallel, and the first failure stops the others.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/object_fwd.h"
#include "base/task.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::model {
class Cluster;
class Preemptions;
struct PodRecord;
}  // namespace berth::scheduler::model
namespace berth::scheduler::framework {
class Measurements;
}
namespace berth::scheduler::queue {
class SchedulingQueue;
}

namespace berth::scheduler::engine {

class Eviction {
 public:
  struct Victim {
    api::ObjectKey pod;
    std::string uid;
    std::string resource_version;
    int64_t generation = 0;
    std::optional<api::PodCondition> condition;  // DisruptionTarget, if it has one.
  };
  struct Plan {
    api::ObjectKey preemptor;  // A pod or a PodGroup.
    std::string preemptor_uid;
    std::string scheduler_name;
    std::string node;
    std::vector<Victim> victims;            // Most important first; none is terminating.
    std::vector<Victim> lower_nominations;  // Pods of lower priority nominated to the node.
    bool synchronous = false;               // The scheduling cycle waits.
    Instant since = {};                     // When it was decided.
    std::string_view preemptor_kind = "pod";
    // The pods to be tried afterwards, with their uids.
    std::vector<std::pair<api::ObjectKey, std::string>> pods = {};
  };

  // Returns the steps that evict `victims` from `node` for `preemptor`. Victims that are
  // terminating are left out.
  static Plan MakePlan(const model::Cluster& cluster, const model::PodRecord& preemptor,
                       Symbol node, const std::vector<model::PodId>& victims);
  // Returns the steps for a group, whose victims may be on any nodes; `members` are those that it
  // preempts for.
  static Plan MakePlan(const model::Cluster& cluster, const api::PodGroup& preemptor,
                       const std::vector<const model::PodRecord*>& members,
                       const std::vector<model::PodId>& victims);

  // All must outlive the eviction.
  struct Services {
    Outbox& outbox;
    model::Preemptions& preemptions;  // Notified when the last victim is evicted.
    // Cancels the binding of a victim that is not bound yet, and returns what it was doing; kNot if
    // it must be deleted.
    enum class Stopped : uint8_t { kNot, kWaiting, kPreBinding };
    std::function<Stopped(const std::string& uid)> stop_binding;
    std::vector<Eviction*>& finished;  // An eviction that has ended adds itself.
    framework::Log log;
  };

  Eviction(Plan plan, const Services& services);

  void Start() { task_.Start(); }
  // Success if all victims are deleted or terminating. Only when ended.
  const framework::Verdict& verdict() const { return task_.result(); }
  const Plan& plan() const { return plan_; }

 private:
  Task<framework::Verdict> Run();
  Task<framework::Verdict> RunAsynchronously();
  Task<framework::Verdict> RunSynchronously();
  // Returns the first failure.
  Task<framework::Verdict> ClearLowerNominations();
  Task<framework::Verdict> Evict(const Victim& victim);
  // Evicts the victim, unless an earlier one failed; records the first failure.
  Task<framework::Verdict> EvictUnlessStopped(const Victim& victim);
  // The DisruptionTarget condition to write for the victim; nothing if it has the same.
  std::optional<api::PodCondition> ConditionFor(const Victim& victim) const;
  void RecordEviction(const Victim& victim, std::string_view how);
  // Reports whether a write about the victim ended because the victim is gone.
  bool IsGone(const Victim& victim, const framework::WriteResult& result) const;

  const Plan plan_;
  Services services_;
  framework::Verdict first_failure_;  // Of a synchronous eviction.
  Task<framework::Verdict> task_;
};

// Evictions owns the evictions in progress.
class Evictions {
 public:
  // All must outlive this; `measurements` may be null.
  struct Services {
    model::Cluster& cluster;
    queue::SchedulingQueue& queue;
    Outbox& outbox;
    framework::Measurements* measurements;
    std::function<Eviction::Services::Stopped(const std::string& uid)> stop_binding;
    // Reports whether the binding of this pod is cancelled and has not ended yet.
    std::function<bool(const std::string& uid)> is_stopping;
    framework::Log log;
  };

  explicit Evictions(Services services) : services_(std::move(services)) {}

  // Starts to evict `victims` from `node`, and ends the nominations of pods of lower priority to
  // it.
  void Start(const model::PodRecord& preemptor, Symbol node,
             const std::vector<model::PodId>& victims);
  // Starts to evict `victims`, from any nodes, for a group; see Eviction::MakePlan.
  void Start(const api::PodGroup& preemptor, const std::vector<const model::PodRecord*>& members,
             const std::vector<model::PodId>& victims);
  // Starts to evict within the preemptor's scheduling cycle: `done` gets the result when all ended,
  // maybe at once.
  using Done = std::function<void(const framework::Verdict&)>;
  void StartSynchronously(const model::PodRecord& preemptor, Symbol node,
                          const std::vector<model::PodId>& victims, Done done);

  // Evictions in progress, those included that have ended and were not finished.
  size_t size() const { return evictions_.size(); }
  bool any_ended() const { return !ended_.empty(); }
  // Lets the preemptors of the evictions that have ended be tried again.
  void FinishEnded();

 private:
  void LogTerminating(const api::ObjectKey& preemptor, std::string_view node,
                      const std::vector<model::PodId>& victims) const;
  void EndNominations(const Eviction::Plan& plan);
  void Begin(Eviction::Plan plan, size_t victims);
  void Run(Eviction::Plan plan);
  void Finish(Eviction& eviction);

  Services services_;
  std::unordered_map<const Eviction*, std::unique_ptr<Eviction>> evictions_;
  std::vector<Eviction*> ended_;
  Done done_;  // Of the synchronous eviction: there is at most one.
};

}  // namespace berth::scheduler::engine
