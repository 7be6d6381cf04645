// ProfileConfig is the user's choice of plugins for one scheduler name, defaults already merged in.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/registry.h"

namespace berth {

enum class ExtensionPoint : uint8_t {
  kPreEnqueue,
  kQueueSort,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
};
inline constexpr size_t kExtensionPoints = 12;

// As error messages call it: "PreFilter".
std::string_view ToString(ExtensionPoint point);

struct PluginChoice {
  std::string name;
  int32_t weight = 0;  // Of score plugins; 0 counts as 1.
  friend bool operator==(const PluginChoice&, const PluginChoice&) = default;
};

struct PluginSet {
  std::vector<PluginChoice> enabled;
  std::vector<std::string> disabled;  // "*" stands for all.
  friend bool operator==(const PluginSet&, const PluginSet&) = default;
};

struct ProfileConfig {
  std::string scheduler_name = "default-scheduler";
  PluginSet multi_point;
  std::array<PluginSet, kExtensionPoints> points;
  std::map<std::string, PluginArgs, std::less<>> args;
  std::optional<int32_t> percentage_of_nodes_to_score;
};

}  // namespace berth
