#include "explain/changed_cluster.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/pod.h"

namespace berth::explain {
namespace {

using scheduler::engine::Decision;

// The pod that a controller creates instead of one that was evicted.
api::Ref<api::Pod> Replacement(const api::Pod& pod) {
  auto created = api::CopyToChange(pod);
  created->metadata.name += "-moved";
  created->metadata.uid += "-moved";
  created->spec.node_name.clear();
  created->status = {};
  return created;
}

api::Ref<api::Pod> Bound(const api::Pod& pod, const std::string& node) {
  auto bound = api::CopyToChange(pod);
  bound->spec.node_name = node;
  bound->status.nominated_node_name.clear();
  return bound;
}

}  // namespace

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
  for (const Change::Edit& edit : change.edits) {
    const auto before = scheduler::engine::FindObject(cluster(), edit.like);
    what_if_.Put(edit.apply ? edit.apply(before ? *before : edit.like) : edit.like);
  }
  if (change.moves != nullptr) what_if_.Delete(change.moves);
  changes_.push_back(change);
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
    if (fix.moves.empty()) what_if_.Put(Bound(pod(), fix.node));
    const api::Ref<api::Pod> moved = Replacement(*change.moves);
    ++decisions_;
    const auto decision = engine_.Preview(moved, now_);
    all_fit = decision && decision->kind == Decision::Kind::kPlaced;
    if (!all_fit) continue;
    what_if_.Put(Bound(*moved, decision->node));
    fix.moves.push_back({{change.moves->metadata.namespace_, change.moves->metadata.name},
                         change.moves->spec.node_name,
                         decision->node});
  }
  what_if_.RevertTo(mark);
  if (all_fit) found = std::move(fix);
  return found;
}

}  // namespace berth::explain
