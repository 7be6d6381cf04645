// Makes the cluster that `berth schedule` schedules: from files alone, or from a live cluster and
// files with what would be created in it. Workloads become their pods.
#pragma once

#include <string>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "base/time.h"
#include "cmd/live_cluster.h"
#include "cmd/manifests.h"
#include "explain/refusal.h"
#include "scheduler/model/features.h"

namespace berth::cmd {

struct ScheduledCluster {
  std::vector<api::Object> objects;  // Complete; those of files in their order.
  std::vector<api::ObjectKey> pods;  // The new ones: those of files and their workloads.
  Instant start;                     // The time of the latest timestamp.
  std::vector<std::string> notes;    // About workloads for which no pods were created.
  // Workloads of which a quota, a LimitRange or a missing class refuses pods.
  std::vector<explain::Refusal> refusals;
};

// The time of a cluster without later timestamps: 2026-01-01T00:00:00Z. No clock is read, so that
// runs are reproducible.
inline constexpr Instant kEarliestStart = Instant::FromUnixSeconds(1'767'225'600);

// Completes the objects (offline_admission.h) and creates the pods of workloads, except those of
// which some pods, ReplicaSets or Jobs are given: their controllers have acted already.
//
// The API server has the feature gates of the scheduler. `live` are the objects of the cluster,
// null if there is none. A file's object replaces that of the cluster, but pods and workloads must
// be new (`cluster` is asked), and their namespaces must exist.
Result<ScheduledCluster> MakeCluster(Manifests manifests,
                                     const scheduler::model::Features& features,
                                     std::vector<api::Object>* live, LiveCluster* cluster);

}  // namespace berth::cmd
