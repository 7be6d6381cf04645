// What is written to a pod before a controller takes it away.
#pragma once

#include <string_view>

#include "world/controller.h"

namespace berth::world {

// Sets the condition DisruptionTarget, by which others see that the pod did not end by itself; and
// its phase to Failed, if it is not over yet and `fail` says so.
void MarkDisrupted(Context& context, const PodRecord& pod, std::string_view reason,
                   std::string_view message, bool fail);

}  // namespace berth::world
