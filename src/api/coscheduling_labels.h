// The labels of pods that name their group of scheduler-plugins.
#pragma once

#include <array>
#include <string_view>

namespace berth::api {

// The first one that is not empty counts. The second one is that of releases before v0.22.
inline constexpr std::array<std::string_view, 2> kCoschedulingLabels = {
    "scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io"};

}  // namespace berth::api
