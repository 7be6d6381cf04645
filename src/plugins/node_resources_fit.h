// NodeResourcesFit keeps a pod off nodes that lack room for it, and prefers nodes by how full they
// would be: emptier (LeastAllocated), fuller (MostAllocated), or by a curve
// (RequestedToCapacityRatio).
#pragma once

#include "base/result.h"
#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class NodeResourcesFit final : public PreFilterPlugin,
                               public FilterPlugin,
                               public PreScorePlugin,
                               public ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesFit";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  // Fails if the arguments make no sense; the texts are kube-scheduler's.
  static Result<std::unique_ptr<Plugin>> Make(const NodeResourcesFitArgs& args);

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  PreFilterResult PreFilter(Cycle& cycle) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  // Names every resource that is short. If the node could not hold the pod even when empty,
  // preemption cannot help.
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;
  Scope filter_scope() const override { return Scope::kNode; }

  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override;
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  Scope score_scope() const override { return Scope::kNode; }

 private:
  enum class Strategy : uint8_t { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

  NodeResourcesFit(NodeResourcesFitArgs args, Strategy strategy, std::vector<ShapePoint> shape)
      : args_(std::move(args)), strategy_(strategy), shape_(std::move(shape)) {}

  bool Ignores(const std::string& resource) const;

  const NodeResourcesFitArgs args_;
  const Strategy strategy_;
  const std::vector<ShapePoint> shape_;  // Scores scaled to 0..100.
};

}  // namespace berth
