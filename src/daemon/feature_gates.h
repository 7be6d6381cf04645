// FeatureGates is which features are on: those of --feature-gates, the others by default.
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/feature_gate_table.h"

namespace berth::daemon {

class FeatureGates {
 public:
  // All as by default.
  FeatureGates() = default;

  // `settings` are "Gate=true" or "kube:Gate=true"; later ones go before earlier ones. The errors
  // are kube-scheduler's; and, beyond them, about gates that Berth cannot switch.
  static std::expected<FeatureGates, std::vector<std::string>> Parse(
      std::span<const std::string> settings);

  // `gate` must be in the table.
  bool IsOn(std::string_view gate) const;
  // What was switched, but does not do in Berth what it does in kube-scheduler.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> Check() const;
  void Spread(std::string_view all, GateStage stage);
  void JudgeSupport(std::vector<std::string>& problems);

  std::map<std::string, bool, std::less<>> given_;
  // Those that AllAlpha and AllBeta speak for.
  std::map<std::string_view, bool> spread_;
  std::vector<std::string> warnings_;
};

// The label of kubernetes_feature_enabled: "ALPHA", "BETA", "DEPRECATED" or nothing.
std::string_view StageLabel(GateStage stage);

// Checks --emulated-version: only 1.36 can be had. `versions` are "1.36" or "kube=1.36".
Status CheckEmulatedVersion(std::span<const std::string> versions);
// Checks --min-compatibility-version: 1.33 to 1.36.
Status CheckMinCompatibilityVersion(std::span<const std::string> versions);

}  // namespace berth::daemon
