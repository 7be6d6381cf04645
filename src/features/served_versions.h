// The versions of Kubernetes that this release serves: `berth check`, `berth version`, the start of
// berth-scheduler and the table in docs/scheduler.md have them from here.
//
// By the version skew policy of Kubernetes a scheduler must not be newer than the API server, and
// may be one minor version older.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/kubernetes_version.h"

namespace berth::features {

// The minor versions of API servers, oldest first.
inline constexpr int kServedMinors[] = {kKubernetesMinor, kKubernetesMinor + 1};

// Returns "v1.36, v1.37".
std::string ServedVersionsText();

// Returns the minor version in "v1.36.4+k3s1"; nullopt if there is none.
std::optional<int> MinorOf(std::string_view git_version);

// Returns what is wrong with a server of that version, and what to do; empty if it is served.
std::string UnservedVersionText(std::string_view git_version);

}  // namespace berth::features
