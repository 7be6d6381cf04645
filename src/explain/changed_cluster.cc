#include "explain/changed_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "api/pod.h"
#include "explain/obstacle.h"
#include "explain/workload.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {
namespace {

using scheduler::engine::Decision;

// Replicas that are changed along with a pod, at most: each costs as much as an event.
constexpr size_t kMostReplicas = 500;

// The pod that a controller creates instead of one that was evicted.
api::Ref<api::Pod> Replacement(const api::Pod& pod) {
  auto created = api::CopyToChange(pod);
  created->metadata.name += "-moved";
  created->metadata.uid += "-moved";
  created->spec.node_name.clear();
  created->status = {};
  return created;
}

}  // namespace

api::Ref<api::Pod> BoundTo(const api::Pod& pod, const std::string& node) {
  auto bound = api::CopyToChange(pod);
  bound->spec.node_name = node;
  bound->status.nominated_node_name.clear();
  return bound;
}

api::Ref<api::Pod> Apply(const std::vector<Change>& changes, const api::Pod& pod) {
  auto edited = api::CopyToChange(pod);
  for (const Change& change : changes) {
    if (change.edit_pod) change.edit_pod(*edited);
  }
  return edited;
}

void ChangedCluster::Make(const Change& change) {
  marks_.push_back(what_if_.size());
  pods_.push_back(Apply({change}, pod()));
  if (change.concerns_replicas) {
    for (const api::Ref<api::Pod>& replica : Replicas()) what_if_.Put(Apply({change}, *replica));
  }
  for (const Change::Edit& edit : change.edits) {
    const auto before = scheduler::engine::FindObject(cluster(), edit.like);
    what_if_.Put(edit.apply ? edit.apply(before ? *before : edit.like) : edit.like);
  }
  if (change.moves != nullptr) what_if_.Delete(change.moves);
  changes_.push_back(change);
}

// With a change of the template, its controller replaces all pods.
std::vector<api::Ref<api::Pod>> ChangedCluster::Replicas() const {
  const Workload workload = WorkloadOf(cluster(), pod());
  std::vector<api::Ref<api::Pod>> replicas;
  if (workload.name.kind == "Pod") return replicas;
  cluster().pods().ForEach([&](const scheduler::model::PodRecord& other) {
    if (other.state != scheduler::model::PodState::kBound || replicas.size() >= kMostReplicas) {
      return;
    }
    if (BelongsTo(cluster(), *other.object, workload.name.kind, workload.name.key)) {
      replicas.push_back(other.object);
    }
  });
  return replicas;
}

// A rolling update waits for new replicas before it removes the old ones, which keep them off: it
// would never end.
std::vector<ObjectName> ChangedCluster::Obsolete() const {
  const bool softens = std::ranges::any_of(changes_, [](const Change& change) {
    return change.kind == ChangeKind::kSoftenPodAffinity && change.concerns_replicas;
  });
  std::set<ObjectName> obsolete;
  if (!softens) return {};
  for (const api::Ref<api::Pod>& replica : Replicas()) {
    const api::ObjectMeta& meta = replica->metadata;
    const api::OwnerReference* owner = ControllerOf(meta);
    if (owner != nullptr && owner->kind == "ReplicaSet") {
      obsolete.insert({owner->api_version, owner->kind, {meta.namespace_, owner->name}});
    } else {
      obsolete.insert({"v1", "Pod", {meta.namespace_, meta.name}});
    }
  }
  // A ReplicaSet of its own remains, and creates them again.
  if (WorkloadOf(cluster(), pod()).name.kind == "ReplicaSet") return {};
  return {obsolete.begin(), obsolete.end()};
}

void ChangedCluster::Revert() {
  what_if_.RevertTo(marks_.back());
  marks_.pop_back();
  pods_.pop_back();
  changes_.pop_back();
}

scheduler::engine::PodFit ChangedCluster::Evaluate(const std::string& node) {
  return Evaluate(pods_.back(), node);
}

scheduler::engine::PodFit ChangedCluster::Evaluate(api::Ref<api::Pod> variant,
                                                   const std::string& node) {
  ++decisions_;
  const std::vector<std::string> nodes =
      node.empty() ? std::vector<std::string>() : std::vector<std::string>{node};
  auto fit = engine_.Evaluate(std::move(variant), nodes, now_);
  if (fit) return *std::move(fit);
  scheduler::engine::PodFit failed;
  failed.pre_filter = scheduler::framework::Verdict::Error(fit.error().message);
  return failed;
}

std::optional<Fix> ChangedCluster::Verify() {
  ++decisions_;
  const auto decision = engine_.Preview(pods_.back(), now_);
  if (!decision) return std::nullopt;
  Fix fix;
  fix.changes = changes_;
  fix.obsolete = Obsolete();
  if (decision->kind == Decision::Kind::kPlaced) {
    fix.node = decision->node;
  } else if (!decision->victims.empty()) {
    fix.node = decision->nominated_node;
    fix.victims = decision->victims;
  } else {
    return std::nullopt;
  }
  return FindPlaces(std::move(fix));
}

// The pod is placed first: it is why the others move.
std::optional<Fix> ChangedCluster::FindPlaces(Fix fix) {
  const size_t mark = what_if_.size();
  std::optional<Fix> found;
  bool all_fit = true;
  for (const Change& change : changes_) {
    if (change.moves == nullptr || !all_fit) continue;
    if (fix.moves.empty()) what_if_.Put(BoundTo(pod(), fix.node));
    const api::Ref<api::Pod> moved = Replacement(*change.moves);
    ++decisions_;
    const auto decision = engine_.Preview(moved, now_);
    all_fit = decision && decision->kind == Decision::Kind::kPlaced;
    if (!all_fit) continue;
    what_if_.Put(BoundTo(*moved, decision->node));
    fix.moves.push_back({{change.moves->metadata.namespace_, change.moves->metadata.name},
                         change.moves->spec.node_name,
                         decision->node});
  }
  what_if_.RevertTo(mark);
  if (all_fit) found = std::move(fix);
  return found;
}

}  // namespace berth::explain
