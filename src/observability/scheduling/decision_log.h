// DecisionLog logs the engine's decisions with kube-scheduler's messages.
#pragma once

#include "scheduler/engine/decision.h"
#include "scheduler/framework/writes.h"

namespace berth::observability::scheduling {

class DecisionLog final : public scheduler::engine::DecisionObserver {
 public:
  void OnDecision(const scheduler::engine::Decision& decision) override;
};

// Logs the result of a bind or of a victim's deletion; ignores other writes.
void LogWriteResult(const scheduler::framework::ApiWrite& write,
                    const scheduler::framework::WriteResult& result);

}  // namespace berth::observability::scheduling
