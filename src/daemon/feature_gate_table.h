// The feature gates of Kubernetes v1.36, and what they mean to Berth.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::daemon {

enum class GateStage : uint8_t { kAlpha, kBeta, kGA, kDeprecated };

enum class GateSupport : uint8_t {
  kSwitch,  // Berth does as it says.
  kFixed,   // Concerns the scheduler; Berth has its default built in.
  kSpeed,   // Concerns how the scheduler works, not what it decides; Berth works its own way.
  kOthers,  // Concerns other components.
};

struct FeatureGate {
  std::string_view name;
  GateStage stage = GateStage::kAlpha;
  bool on = false;      // By default.
  bool locked = false;  // Cannot be changed.
  GateSupport support = GateSupport::kOthers;
};

// By name, with AllAlpha and AllBeta.
std::span<const FeatureGate> AllFeatureGates();
// Null if there is none.
const FeatureGate* FindFeatureGate(std::string_view name);
// The gates that must be on if `gate` is.
std::span<const std::string_view> NeededBy(std::string_view gate);

}  // namespace berth::daemon
