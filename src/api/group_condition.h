// The type of the condition that says whether a PodGroup is scheduled, in both versions of the API.
#pragma once

#include <string_view>

namespace berth::api {

// Of v1alpha2, and of all objects in memory.
inline constexpr std::string_view kGroupScheduled = "PodGroupScheduled";
// Of v1beta1.
inline constexpr std::string_view kGroupInitiallyScheduled = "PodGroupInitiallyScheduled";

}  // namespace berth::api
