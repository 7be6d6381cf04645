#include "explain/together.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "explain/changed_cluster.h"
#include "explain/request_changes.h"
#include "explain/workload.h"
#include "scheduler/engine/what_if.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/resources.h"

namespace berth::explain {
namespace {

using scheduler::engine::Decision;

// People write requests in round numbers.
int64_t StepOf(const std::string& resource, int64_t requested) {
  constexpr int64_t kMebibyte = 1 << 20;
  if (resource == "cpu") return requested >= 1000 ? 100 : 10;
  const bool bytes = resource == "memory" || resource == "ephemeral-storage";
  if (!bytes) return 1;
  return requested >= 1024 * kMebibyte ? 64 * kMebibyte : kMebibyte;
}

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

std::optional<Fix> LowerForAll(scheduler::engine::Engine& engine, const Fix& fix,
                               const std::vector<api::Ref<api::Pod>>& pods, Instant now) {
  const bool lowers = fix.changes.size() == 1 && fix.changes[0].kind == ChangeKind::kLowerRequest;
  if (!lowers || fix.runs >= fix.of) return std::nullopt;
  constexpr std::string_view kPrefix = "request ";
  const api::Pod& pod = *pods.front();
  const std::string resource = fix.changes[0].subject.substr(kPrefix.size());
  const auto amount_of = [&](const api::Pod& one) {
    const api::ResourceList requests = RequestsOf(engine.cluster(), one);
    const auto found = requests.find(resource);
    return found == requests.end() ? 0 : scheduler::model::AmountOf(resource, found->second);
  };
  const int64_t requested = amount_of(pod);
  const int64_t step = StepOf(resource, requested);
  const auto fix_with = [&](int64_t target) {
    Fix lower;
    lower.changes = {LowerRequestTo(pod, resource, requested, target)};
    lower.of = fix.of;
    lower.runs = CountTogether(engine, lower, pods, true, now);
    return lower;
  };
  // In steps; what is tried last and lets fewer run is one step more.
  int64_t works = (LeastOf(requested) + step - 1) / step;
  int64_t fails = amount_of(*Apply(fix.changes, pod)) / step + 1;
  if (works >= fails || fix_with(works * step).runs < fix.of) return std::nullopt;
  while (fails - works > 1) {
    const int64_t middle = works + (fails - works) / 2;
    (fix_with(middle * step).runs < fix.of ? fails : works) = middle;
  }
  Fix lower = fix_with(works * step);
  ChangedCluster changed(engine, pods.front(), now);
  changed.Make(lower.changes[0]);
  const auto verified = changed.Verify();
  if (!verified) return std::nullopt;
  lower.node = verified->node;
  return lower;
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
