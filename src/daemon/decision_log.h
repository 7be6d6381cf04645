// DecisionLog writes what the engine decides to the log, in kube-scheduler's words.
#pragma once

#include "engine/decision.h"
#include "framework/writes.h"

namespace berth::daemon {

class DecisionLog final : public DecisionObserver {
 public:
  void OnDecision(const Decision& decision) override;
};

// The end of a write, where operators look for it: binds and the eviction of victims.
void LogEndOfWrite(const ApiWrite& write, const WriteResult& result);

}  // namespace berth::daemon
