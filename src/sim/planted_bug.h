// The bugs that a simulation can be told to contain, to show that they are found.
#pragma once

#include <cstdint>

namespace berth::sim {

enum class PlantedBug : uint8_t {
  kNone,
  kLostWakeUp,        // The scheduler is never told that a pod's gates are gone.
  kLeakedAssume,      // The scheduler is not told that a bind failed.
  kSkippedUnreserve,  // A plugin is not told that what it reserved is free again.
  kDoubleBind,        // A bind is carried out twice.
};

}  // namespace berth::sim
