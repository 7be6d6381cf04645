#include "scheduler/framework/plugin.h"

#include "api/resource_claim.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/node_table.h"
#include "scheduler/model/pod_class.h"

namespace berth::scheduler::framework {

std::unique_ptr<ClassState> Plugin::Compile(model::Cluster&, const model::PodClass&) const {
  return nullptr;
}

std::vector<ClusterEventWithHint> Plugin::EventsToRegister() const {
  std::vector<ClusterEventWithHint> all;
  for (Resource resource :
       {Resource::kPod, Resource::kNode, Resource::kPersistentVolume,
        Resource::kPersistentVolumeClaim, Resource::kCsiNode, Resource::kCsiDriver,
        Resource::kCsiStorageCapacity, Resource::kStorageClass, Resource::kResourceClaim,
        Resource::kDeviceClass}) {
    all.push_back({{resource, kAllActions}, /*conditional=*/false});
  }
  return all;
}

Described ScorePlugin::DescribeScore(const Cycle&, int32_t, SearchRules&) const {
  return Described::kNo;
}

Verdict ScorePlugin::Score(const Cycle& cycle, const model::NodeMask& nodes,
                           std::span<int64_t> out) const {
  ScoreNodes(Rate(cycle), cycle, nodes, out);
  return {};
}

int64_t ScorePlugin::ScoreOneNode(const Cycle& cycle, model::NodeRow node) const {
  const Rating rating = Rate(cycle);
  if (!std::holds_alternative<Unrated>(rating)) return ScoreNode(rating, cycle, node);
  model::NodeMask alone(cycle.nodes().rows());
  alone.Set(node.index());
  std::vector<int64_t> scores(alone.size());
  return Score(cycle, alone, scores).ok() ? scores[node.index()] : 0;
}

Verdict NodeFilter::FilterNodes(const Cycle& cycle, model::NodeMask& nodes) const {
  Verdict error;
  nodes.KeepIf([&](size_t row) {
    Verdict verdict = FilterNode(cycle, model::NodeRow{static_cast<uint32_t>(row)});
    if (verdict.ok()) return true;
    if (!verdict.rejected() && error.ok()) error = std::move(verdict);
    return false;
  });
  return error;
}

Verdict NodeScorer::Score(const Cycle& cycle, const model::NodeMask& nodes,
                          std::span<int64_t> out) const {
  nodes.ForEach(
      [&](size_t row) { out[row] = ScoreNode(cycle, model::NodeRow{static_cast<uint32_t>(row)}); });
  return {};
}

}  // namespace berth::scheduler::framework
