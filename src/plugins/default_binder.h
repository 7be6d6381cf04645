// DefaultBinder binds a pod to its node by posting a Binding.
#pragma once

#include "framework/plugin.h"

namespace berth {

class DefaultBinder final : public BindPlugin {
 public:
  static constexpr std::string_view kName = "DefaultBinder";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<Interest> Interests() const override { return {}; }

  Task<Verdict> Bind(BindingContext& binding) const override;
};

}  // namespace berth
