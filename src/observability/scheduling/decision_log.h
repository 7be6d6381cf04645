// DecisionLog writes what the engine decides to the log, in kube-scheduler's words.
#pragma once

#include "scheduler/engine/decision.h"
#include "scheduler/framework/writes.h"

namespace berth::observability::scheduling {

class DecisionLog final : public scheduler::engine::DecisionObserver {
 public:
  void OnDecision(const scheduler::engine::Decision& decision) override;
};

// The end of a write, where operators look for it: binds and the eviction of victims.
void LogWriteResult(const scheduler::framework::ApiWrite& write,
                    const scheduler::framework::WriteResult& result);

}  // namespace berth::observability::scheduling
