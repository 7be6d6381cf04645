// ImageLocality prefers nodes that hold the pod's images already: the larger the images, and the
// more nodes hold them (so that pods do not heap up on the one node that does), the better.
#pragma once

#include "framework/plugin.h"

namespace berth {

class ImageLocality final : public ScorePlugin {
 public:
  static constexpr std::string_view kName = "ImageLocality";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<Interest> Interests() const override { return {}; }

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  Scope score_scope() const override { return Scope::kNode; }
  // An image's weight depends on how many nodes hold it and how many nodes there are.
  uint64_t score_epoch(const Cluster& cluster) const override;
};

}  // namespace berth
