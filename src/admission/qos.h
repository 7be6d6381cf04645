// The quality of service of a pod: how sure it can be of its resources.
#pragma once

#include <string_view>

#include "kinds/json.h"

namespace berth::apiserver {

// "Guaranteed", "Burstable" or "BestEffort", by what the spec requests and limits of cpu and
// memory.
std::string_view QosClassOf(const JsonObject* pod_spec);

}  // namespace berth::apiserver
