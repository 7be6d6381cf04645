#include "observability/scheduling/decision_log.h"

#include <variant>

#include "observability/log.h"

namespace berth::observability::scheduling {

void DecisionLog::OnDecision(const scheduler::engine::Decision& decision) {
  switch (decision.kind) {
    case scheduler::engine::Decision::Kind::kPlaced:
      LOG_V(3, "Attempting to bind pod to node",
            {{"pod", decision.key.ToString()}, {"node", decision.node}});
      break;
    case scheduler::engine::Decision::Kind::kUnschedulable:
      LOG_V(2, "Unable to schedule pod; no fit; waiting",
            {{"pod", decision.key.ToString()}, {"err", decision.message}});
      if (!decision.nominated_node.empty()) {
        LOG_V(2, "Preempting pods to make room",
              {{"pod", decision.key.ToString()},
               {"node", decision.nominated_node},
               {"victims", static_cast<int64_t>(decision.victims.size())}});
      }
      break;
    case scheduler::engine::Decision::Kind::kFailed:
      LOG_ERROR(decision.message, "Error scheduling pod; retrying",
                {{"pod", decision.key.ToString()}});
      break;
  }
}

void LogWriteResult(const scheduler::framework::ApiWrite& write,
                    const scheduler::framework::WriteResult& result) {
  if (const auto* bind = std::get_if<scheduler::framework::BindPod>(&write)) {
    if (result.ok()) {
      LOG_V(2, "Successfully bound pod to node",
            {{"pod", bind->pod.ToString()}, {"node", bind->node}});
    } else {
      LOG_ERROR(result.message, "Failed to bind pod", {{"pod", bind->pod.ToString()}});
    }
  } else if (const auto* removed = std::get_if<scheduler::framework::DeletePod>(&write)) {
    if (result.ok()) {
      LOG_V(2, "Preempted a pod", {{"pod", removed->pod.ToString()}});
    } else {
      LOG_ERROR(result.message, "Failed to preempt a pod", {{"pod", removed->pod.ToString()}});
    }
  }
}

}  // namespace berth::observability::scheduling
