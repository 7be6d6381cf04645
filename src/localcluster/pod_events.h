// The events that a kubelet records about a pod, in the words of a real one.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "localcluster/event_recorder.h"
#include "localcluster/pod_index.h"
#include "localcluster/pod_lifecycle.h"

namespace berth::localcluster {

inline constexpr std::string_view kKubeletComponent = "kubelet";

// Records the events of a step that was taken; `document` is the pod after it.
void RecordStep(EventRecorder& events, const PodStep& step, const PodRecord& pod,
                const api::JsonObject& document);
// Records that the pod's containers are stopped, because it is being deleted.
void RecordKilling(EventRecorder& events, const PodRecord& pod, const api::JsonObject& document);

}  // namespace berth::localcluster
