// The table of the feature gates of Kubernetes v1.36, with how Berth supports each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::features {

enum class GateStage : uint8_t { kAlpha, kBeta, kGA, kDeprecated };

enum class GateSupport : uint8_t {
  kSwitch,  // Switches the feature in Berth.
  kFixed,   // Affects the scheduler; Berth always has the default.
  kSpeed,   // Affects how kube-scheduler works, not what it does; no effect in Berth.
  kOthers,  // Affects other components, or only how client-go works inside.
};

struct FeatureGate {
  std::string_view name;
  GateStage stage = GateStage::kAlpha;
  bool on = false;      // The default.
  bool locked = false;  // Cannot be changed.
  GateSupport support = GateSupport::kOthers;
};

// Returns all gates, including AllAlpha and AllBeta, sorted by name.
std::span<const FeatureGate> AllFeatureGates();
// Returns null if there is no such gate.
const FeatureGate* FindFeatureGate(std::string_view name);
// Returns the gates that must be on if `gate` is.
std::span<const std::string_view> NeededBy(std::string_view gate);

}  // namespace berth::features
