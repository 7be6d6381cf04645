// FeatureGates is the state of all feature gates: set by --feature-gates, or the default.
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "features/feature_gate_table.h"
#include "scheduler/model/features.h"

namespace berth::features {

class FeatureGates {
 public:
  // All gates have their defaults.
  FeatureGates() = default;

  // `settings` are "Gate=true" or "kube:Gate=true"; later ones override earlier ones. The errors
  // are kube-scheduler's, and those about gates that Berth cannot switch.
  static std::expected<FeatureGates, std::vector<std::string>> Parse(
      std::span<const std::string> settings);

  // `gate` must be in the table.
  bool IsOn(std::string_view gate) const;
  // Returns those that change what the scheduler does.
  scheduler::model::Features OfScheduler() const;
  // Returns warnings about gates that were set: those that will be removed, and those without
  // effect in Berth.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> Check() const;
  void Spread(std::string_view all, GateStage stage);
  void JudgeSupport(std::vector<std::string>& problems);

  std::map<std::string, bool, std::less<>> given_;
  // Gates that AllAlpha and AllBeta set.
  std::map<std::string_view, bool> spread_;
  std::vector<std::string> warnings_;
};

// Returns the settings in a value of --feature-gates: "A=true, B=false" has two.
std::vector<std::string> SplitSettings(std::string_view text);

// Returns the label of kubernetes_feature_enabled: "ALPHA", "BETA", "DEPRECATED" or "".
std::string_view StageLabel(GateStage stage);

// Checks --emulated-version: only 1.36 is supported. `versions` are "1.36" or "kube=1.36".
Status CheckEmulatedVersion(std::span<const std::string> versions);
// Checks --min-compatibility-version: 1.33 to 1.36.
Status CheckMinCompatibilityVersion(std::span<const std::string> versions);

}  // namespace berth::features
