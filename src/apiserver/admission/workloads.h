// PodGroups and Workloads (scheduling.k8s.io/v1alpha2), and the field of pods that refers to them.
#pragma once

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

struct AdmissionContext;
class FieldErrors;

// The feature gates of the API that concern them; those of kube-apiserver, off by default.
struct WorkloadGates {
  bool generic_workload = false;  // The kinds are served, and pods may have groups.
  bool topology_aware_workload_scheduling = false;  // Groups may have constraints.
  bool workload_aware_preemption = false;           // Groups have a priority and a disruption mode.
};

// Removes the fields whose gate is off, unless the stored object `before` (null for a new one) has
// them: of groups and workloads, and spec.schedulingGroup of pods.
void DropDisabledWorkloadFields(const WorkloadGates& gates, const api::scheme::Kind& kind,
                                const api::JsonObject* before, api::JsonObject& document);

// Resolves the priority of a new group from its class, sets its default disruption mode and adds
// the finalizer that protects it. Returns Forbidden if it refers to a template that does not exist,
// or contradicts its class.
api::scheme::ApiResult<void> AdmitPodGroup(AdmissionContext& context, const api::scheme::Kind& kind,
                                           api::JsonObject& group);

// Validates a PodGroup or a Workload; returns false if it is neither.
bool ValidateWorkloads(const api::scheme::Kind& kind, const api::JsonObject& document,
                       FieldErrors& errors);
// All fields of both are immutable.
bool ValidateWorkloadsUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                             const api::JsonObject& after, FieldErrors& errors);

}  // namespace berth::apiserver::admission
