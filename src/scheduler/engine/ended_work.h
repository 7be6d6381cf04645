// EndedWork finishes what has ended: waits for Permit plugins, binding cycles, evictions, tasks of
// cycles; and lets the queue know of claims that they assumed. One of them may end another.
//
// The engine calls it after whatever may end one: an event, the passing of time, a scheduling
// cycle.
#pragma once

#include "scheduler/engine/bindings.h"
#include "scheduler/engine/event_handlers.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"

namespace berth::scheduler::engine {

class EndedWork {
 public:
  // All must outlive this.
  EndedWork(const model::Cluster& cluster, EventHandlers& handlers, Bindings& bindings,
            Evictions& evictions, BackgroundTasks& background)
      : cluster_(cluster),
        handlers_(handlers),
        bindings_(bindings),
        evictions_(evictions),
        background_(background) {}

  void Finish() {
    while (true) {
      if (cluster_.devices().has_assumed_changes()) handlers_.HandleAssumedClaims();
      bindings_.ContinuePermitted();
      background_.Reap();
      if (!bindings_.any_ended() && !evictions_.any_ended()) return;
      bindings_.FinishEnded();
      evictions_.FinishEnded();
    }
  }

 private:
  const model::Cluster& cluster_;
  EventHandlers& handlers_;
  Bindings& bindings_;
  Evictions& evictions_;
  BackgroundTasks& background_;
};

}  // namespace berth::scheduler::engine
