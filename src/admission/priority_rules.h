// Numbers and names of priorities that the server itself knows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace berth::apiserver {

inline constexpr int64_t kHighestUserPriority = 1'000'000'000;

struct SystemPriority {
  std::string_view name;
  int64_t value;
  std::string_view description;
};
inline constexpr std::array<SystemPriority, 2> kSystemPriorities = {{
    {"system-cluster-critical", 2'000'000'000,
     "Used for system critical pods that must run in the cluster, but can be moved to another "
     "node if necessary."},
    {"system-node-critical", 2'000'001'000,
     "Used for system critical pods that must not be moved from their current node."},
}};

}  // namespace berth::apiserver
