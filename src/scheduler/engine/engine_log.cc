// What the engine logs about attempts and their failures, in kube-scheduler's messages.

#include "scheduler/engine/engine_state.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {

void Engine::State::LogAttempt(model::PodId pod, int level) const {
  ENGINE_LOG(log_, level,
             level == 4 ? "About to try and schedule pod" : "Attempting to schedule pod",
             {{"pod", cluster_.pod(pod).key().ToString()}});
}

void Engine::State::LogRejection(const model::PodRecord& pod, const framework::Plugin& plugin,
                                 const framework::Verdict& verdict) const {
  const std::string key = pod.key().ToString();
  if (verdict.rejected()) {
    ENGINE_LOG(log_, 4, "Pod rejected by plugin",
               {{"pod", key}, {"plugin", plugin.name()}, {"status", verdict.Message()}});
  } else {
    ENGINE_LOG_ERROR(log_, verdict.Message(), "Plugin failed",
                     {{"plugin", plugin.name()}, {"pod", key}});
  }
}

void Engine::State::LogFailure(const model::PodRecord& pod, const Failure& failure) const {
  const std::string key = pod.key().ToString();
  if (!failure.rejected) {
    ENGINE_LOG_ERROR(log_, failure.message, "Error scheduling pod; retrying", {{"pod", key}});
  } else if (!failure.why.empty()) {
    ENGINE_LOG(log_, 2, "Unable to schedule pod; no fit; waiting",
               {{"pod", key}, {"err", failure.message}});
  } else if (cluster_.nodes().present_count() == 0) {
    ENGINE_LOG(log_, 2, "Unable to schedule pod; no nodes are registered to the cluster; waiting",
               {{"pod", key}});
  } else {
    ENGINE_LOG(log_, 2, "Unable to schedule pod belonging to a pod group; waiting",
               {{"pod", key}, {"err", failure.message}});
  }
}

void Engine::State::LogGroup(const GroupCycle& cycle, const GroupTrial& trial,
                             size_t not_bound) const {
  const std::string group = cycle.group.ToString();
  if (trial.verdict.ok()) {
    ENGINE_LOG(log_, 2, "Successfully scheduled a pod group",
               {{"podGroup", group},
                {"scheduledPods", cycle.members.size() - not_bound},
                {"unschedulablePods", not_bound}});
  } else if (!trial.verdict.rejected()) {
    ENGINE_LOG_ERROR(log_, trial.verdict.Message(), "Error scheduling pod group",
                     {{"podGroup", group}, {"errorPods", cycle.members.size()}});
  } else {
    ENGINE_LOG(log_, 2,
               trial.waiting_on_preemption ? "Pod group is waiting for preemption"
                                           : "Unable to schedule a pod group",
               {{"podGroup", group}, {"unschedulablePods", cycle.members.size()}});
  }
}

void Engine::State::LogNotReturned(const model::PodRecord& pod, model::PodId id) const {
  const std::string key = pod.key().ToString();
  if (!id.valid()) {
    ENGINE_LOG(log_, 0, "Pod doesn't exist in informer cache",
               {{"pod", key}, {"err", "pod \"" + pod.key().name + "\" not found"}});
    return;
  }
  const std::string& node = cluster_.pod(id).object->spec.node_name;
  if (node.empty()) return;
  ENGINE_LOG(log_, 0, "Pod has been assigned to node. Abort adding it back to queue.",
             {{"pod", key}, {"node", node}});
}

void Engine::State::LogStatus(const model::PodRecord& pod, const Failure& failure,
                              const std::string& nominated_node) const {
  constexpr const char* kText = "Updating pod condition and nominated node name";
  const std::string key = pod.key().ToString();
  if (!failure.nomination.replace) {
    ENGINE_LOG(log_, 3, kText,
               {{"pod", key},
                {"conditionType", "PodScheduled"},
                {"conditionStatus", "False"},
                {"conditionReason", failure.Reason()}});
    return;
  }
  ENGINE_LOG(log_, 3, kText,
             {{"pod", key},
              {"conditionType", "PodScheduled"},
              {"conditionStatus", "False"},
              {"conditionReason", failure.Reason()},
              {"nominatedNodeName", nominated_node},
              {"nominatingMode", 1}});
}

}  // namespace berth::scheduler::engine
