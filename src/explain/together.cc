#include "explain/together.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "explain/changed_cluster.h"
#include "explain/workload.h"
#include "scheduler/engine/what_if.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {
namespace {

using scheduler::engine::Decision;

}  // namespace

size_t CountTogether(scheduler::engine::Engine& engine, const Fix& fix,
                     const std::vector<api::Ref<api::Pod>>& pods, bool one_workload, Instant now) {
  ChangedCluster changed(engine, pods.front(), now);
  for (const Change& change : fix.changes) changed.Make(change);
  scheduler::engine::WhatIf placed(engine);
  size_t count = 0;
  for (size_t i = 0; i < std::min(pods.size(), kMostTogether); ++i) {
    const bool is_changed = i == 0 || one_workload;
    const api::Ref<api::Pod> pod = is_changed ? Apply(fix.changes, *pods[i]) : pods[i];
    const auto decision = engine.Preview(pod, now);
    if (!decision) continue;
    std::string node;
    if (decision->kind == Decision::Kind::kPlaced) {
      node = decision->node;
    } else if (!fix.victims.empty() && !decision->victims.empty()) {
      node = decision->nominated_node;
      for (const api::ObjectKey& victim : decision->victims) {
        const auto id = engine.cluster().pods().Find(victim.namespace_, victim.name);
        if (id.valid()) placed.Delete(engine.cluster().pod(id).object);
      }
    }
    if (node.empty()) continue;
    ++count;
    placed.Put(BoundTo(*pod, node));
  }
  return count;
}

std::optional<Fix> FewerReplicas(const scheduler::model::Cluster& cluster,
                                 const ObjectName& workload) {
  if (workload.kind == "Job" || workload.kind == "DaemonSet") return std::nullopt;
  size_t all = 0, placed = 0;
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (!BelongsTo(cluster, *pod.object, workload.kind, workload.key)) return;
    ++all;
    placed += !pod.object->spec.node_name.empty();
  });
  if (placed == 0 || placed == all) return std::nullopt;
  Fix fix;
  fix.changes.push_back(MakeChange(ChangeKind::kReduceReplicas, workload, "replicas",
                                   fmt::format("reduce the replicas of {} {} from {} to {}",
                                               workload.kind, workload.key.name, all, placed)));
  fix.changes[0].patch = {{"replace", "/spec/replicas", std::to_string(placed)}};
  return fix;
}

}  // namespace berth::explain
