// NodeName keeps a pod that names its node off all others.
#pragma once

#include "framework/plugin.h"

namespace berth {

class NodeName final : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeName";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;

  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  Scope filter_scope() const override { return Scope::kNode; }
};

}  // namespace berth
