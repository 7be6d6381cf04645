// Engine::Parts holds what an engine consists of. Each part has one task and names in its Services,
// or its constructor, the others that it uses: they are listed from the bottom up.
#pragma once

#include "scheduler/engine/attempt_reporter.h"
#include "scheduler/engine/bindings.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/event_handlers.h"
#include "scheduler/engine/event_intake.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/extenders.h"
#include "scheduler/engine/failure_handler.h"
#include "scheduler/engine/group_cycles.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/plugin_trials.h"
#include "scheduler/engine/pod_cycles.h"
#include "scheduler/engine/questions.h"
#include "scheduler/engine/scheduling_loop.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/engine/status_writer.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/groups/group_conditions.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

struct Engine::Parts {
  // `profiles_of_options` are those of options.profiles, in the same order.
  Parts(const EngineOptions& options, ServedProfiles::Profiles profiles_of_options);

  framework::EngineSizes Sizes() const;
  // Passes the current sizes to the measurements.
  void ReportSizes() const;

  framework::Measurements* const measurements;
  const framework::Log log;

  // What is where, and what has left the engine.
  model::Cluster cluster;
  Outbox outbox;
  BackgroundTasks background{outbox};
  StatusWriter status{outbox};
  groups::GroupConditions conditions{background};
  Extenders extenders;
  ServedProfiles profiles;
  queue::SchedulingQueue queue;
  framework::WaitingPods waiting;

  // How attempts end.
  EventHandlers handlers;
  AttemptReporter reporter;
  FailureHandler failures;
  Bindings bindings;
  Evictions evictions;

  // How pods are tried.
  PluginTrials trials;
  PodCycles pods;
  GroupCycles groups;
  SchedulingLoop loop;

  EventIntake intake;
  Questions questions;
};

}  // namespace berth::scheduler::engine
