// The version of Kubernetes whose scheduler and API Berth implements.
#pragma once

#include <string_view>

namespace berth {

inline constexpr int kKubernetesMinor = 36;
// "1.36": as --emulated-version has it.
inline constexpr std::string_view kKubernetesMinorVersion = "1.36";
// The version that the programs report: that of the release of which Berth has the features.
inline constexpr std::string_view kKubernetesVersion = "1.36.0";

}  // namespace berth
