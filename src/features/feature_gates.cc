#include "features/feature_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/check.h"
#include "base/kubernetes_version.h"
#include "base/text.h"
#include "flags/flag_values.h"

namespace berth::features {
namespace {

constexpr std::string_view kGateComponent = "kube";
constexpr int kOldestMinor = 33;

// Returns the minor version of "kube=1.36" or "1.36".
Result<int> ParseVersion(std::string_view text) {
  if (const size_t equals = text.find('='); equals != text.npos) {
    if (text.substr(0, equals) != kGateComponent) {
      return Fail(fmt::format("component not registered: {}", text.substr(0, equals)));
    }
    text.remove_prefix(equals + 1);
  }
  std::string_view digits = text;
  if (digits.starts_with('v')) digits.remove_prefix(1);
  int minor = 0;
  const bool is_first = digits.starts_with("1.");
  if (is_first) digits.remove_prefix(2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  if (!is_first || error != std::errc{}) {
    return Fail(fmt::format("could not parse {} as version", GoQuote(text)));
  }
  if (end != digits.data() + digits.size()) {
    return Fail(fmt::format("patch version not allowed, got: {}={}", kGateComponent, text));
  }
  return minor;
}

}  // namespace

std::vector<std::string> SplitSettings(std::string_view text) {
  std::vector<std::string> settings;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (const std::string_view setting = Trim(text.substr(0, end)); !setting.empty())
      settings.emplace_back(setting);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return settings;
}

std::string_view StageLabel(GateStage stage) {
  switch (stage) {
    case GateStage::kAlpha:
      return "ALPHA";
    case GateStage::kBeta:
      return "BETA";
    case GateStage::kDeprecated:
      return "DEPRECATED";
    case GateStage::kGA:
      return "";
  }
  return "";
}

std::expected<FeatureGates, std::vector<std::string>> FeatureGates::Parse(
    std::span<const std::string> settings) {
  FeatureGates gates;
  std::vector<std::string> problems;
  std::set<bool> prefixed;
  for (const std::string& setting : settings) {
    std::string_view text = setting;
    const size_t colon = text.find(':');
    prefixed.insert(colon != text.npos);
    if (colon != text.npos) {
      if (const auto component = text.substr(0, colon); component != kGateComponent) {
        problems.push_back(fmt::format("component not registered: {}", component));
        continue;
      }
      text.remove_prefix(colon + 1);
    }
    const size_t equals = text.find('=');
    const std::string_view name = Trim(text.substr(0, equals));
    if (equals == text.npos) {
      problems.push_back(fmt::format("missing bool value for {}", name));
      continue;
    }
    const std::string_view value = Trim(text.substr(equals + 1));
    const auto on = flags::ParseBool(value);
    if (!on) {
      problems.push_back(
          fmt::format("invalid value of {}={}, err: {}", name, value, on.error().message));
      continue;
    }
    gates.given_.insert_or_assign(std::string(name), *on);
  }
  if (prefixed.size() > 1) {
    problems.emplace_back(
        "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix "
        "use");
  }
  if (problems.empty()) {
    gates.Spread("AllAlpha", GateStage::kAlpha);
    gates.Spread("AllBeta", GateStage::kBeta);
    problems = gates.Check();
  }
  if (problems.empty()) gates.JudgeSupport(problems);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return gates;
}

void FeatureGates::Spread(std::string_view all, GateStage stage) {
  const auto wanted = given_.find(all);
  if (wanted == given_.end()) return;
  for (const FeatureGate& gate : AllFeatureGates()) {
    const bool is_all = gate.name == "AllAlpha" || gate.name == "AllBeta";
    if (gate.stage == stage && !is_all && !given_.contains(gate.name)) {
      spread_[gate.name] = wanted->second;
    }
  }
}

std::vector<std::string> FeatureGates::Check() const {
  std::vector<std::string> problems;
  for (const auto& [name, on] : given_) {
    const FeatureGate* gate = FindFeatureGate(name);
    if (gate == nullptr) {
      problems.push_back("unrecognized feature gate: " + name);
    } else if (gate->locked && gate->on != on) {
      problems.push_back(fmt::format("cannot set feature gate {} to {}, feature is locked to {}",
                                     name, on, gate->on));
    }
  }
  if (!problems.empty()) return problems;
  for (const FeatureGate& gate : AllFeatureGates()) {
    if (!IsOn(gate.name)) continue;
    std::vector<std::string_view> missing;
    for (const std::string_view needed : NeededBy(gate.name)) {
      if (!IsOn(needed)) missing.push_back(needed);
    }
    if (missing.empty()) continue;
    problems.push_back(fmt::format("{} is enabled, but depends on features that are disabled: [{}]",
                                   gate.name, fmt::join(missing, " ")));
  }
  return problems;
}

void FeatureGates::JudgeSupport(std::vector<std::string>& problems) {
  for (const auto& [name, on] : given_) {
    const FeatureGate& gate = *FindFeatureGate(name);
    if (gate.stage == GateStage::kGA || gate.stage == GateStage::kDeprecated) {
      warnings_.push_back(
          fmt::format("setting {} feature gate {}={}: it will be removed in a future release",
                      gate.stage == GateStage::kGA ? "GA" : "deprecated", name, on));
    }
    if (gate.on == on) continue;
    if (gate.support == GateSupport::kFixed) {
      // Those that are on by default are locked.
      problems.push_back(fmt::format(
          "feature gate {} cannot be switched on: Berth does not have this feature", name));
    } else if (gate.support == GateSupport::kSpeed) {
      warnings_.push_back(fmt::format(
          "feature gate {}={} makes no difference: Berth works in its own way here, and decides "
          "the same",
          name, on));
    }
  }
  // AllAlpha and AllBeta do not fail for gates that Berth cannot switch: one warning lists them.
  std::vector<std::string_view> left;
  for (const auto& [name, on] : spread_) {
    const FeatureGate& gate = *FindFeatureGate(name);
    if (gate.on != on && gate.support == GateSupport::kFixed) left.push_back(name);
  }
  if (left.empty()) return;
  warnings_.push_back(fmt::format(
      "AllAlpha or AllBeta does not change these, which are built in: {}", fmt::join(left, ", ")));
}

bool FeatureGates::IsOn(std::string_view gate) const {
  if (const auto found = given_.find(gate); found != given_.end()) return found->second;
  if (const auto found = spread_.find(gate); found != spread_.end()) return found->second;
  const FeatureGate* known = FindFeatureGate(gate);
  CHECK(known != nullptr);
  return known->on;
}

scheduler::model::Features FeatureGates::OfScheduler() const {
  scheduler::model::Features features;
  for (const auto& [name, field] : scheduler::model::kNamedFeatures) features.*field = IsOn(name);
  return features;
}

Status CheckEmulatedVersion(std::span<const std::string> versions) {
  for (const std::string& version : versions) {
    const auto minor = ParseVersion(version);
    if (!minor) return std::unexpected(minor.error());
    if (*minor != kKubernetesMinor) {
      return Fail(fmt::format("--emulated-version={}: Berth behaves like 1.{} only", version,
                              kKubernetesMinor));
    }
  }
  return {};
}

Status CheckMinCompatibilityVersion(std::span<const std::string> versions) {
  for (const std::string& version : versions) {
    const auto minor = ParseVersion(version);
    if (!minor) return std::unexpected(minor.error());
    if (*minor < kOldestMinor || *minor > kKubernetesMinor) {
      return Fail(fmt::format("minCompatibilityVersion version 1.{} is not between [1.{}, 1.{}]",
                              *minor, kOldestMinor, kKubernetesMinor));
    }
  }
  return {};
}

}  // namespace berth::features
