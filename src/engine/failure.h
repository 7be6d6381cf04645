// Failure is what became of an attempt that did not place its pod, and what users are told of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/plugin.h"
#include "framework/writes.h"
#include "queue/queue_entry.h"

namespace berth {

struct Failure {
  bool rejected = false;  // By plugins; else something went wrong.
  std::string message;
  Rejectors why = {};  // Whom an event must please for the pod to be tried again.
  Nomination nomination = {.replace = true, .node = {}};  // Cleared, unless preemption found room.
  // The nominated node that the API was told since, though it may not have shown it yet.
  std::string announced = {};

  // As in the PodScheduled condition.
  std::string_view Reason() const { return rejected ? "Unschedulable" : "SchedulerError"; }
  // As in the FailedScheduling event, whose length is limited.
  std::string Note() const;
};

// The patch that tells the API of `failure`, if the pod's status does not say so already.
std::optional<PatchPodStatus> StatusAfter(const Failure& failure, const api::Pod& pod,
                                          std::string_view nominated_node, Instant now);

}  // namespace berth
