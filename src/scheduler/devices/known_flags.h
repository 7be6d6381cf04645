// What a search knows of a candidate for an alternative of a request, as flags of a byte.
#pragma once

#include <cstdint>

namespace berth::scheduler::devices {

inline constexpr uint8_t kSelectionKnown = 1, kSelected = 2;
inline constexpr uint8_t kTaintsKnown = 4, kTainted = 8;
// Whether it has the capacities, as far as no pick of the search shares it.
inline constexpr uint8_t kCapacityKnown = 16, kFits = 32;
// Of a hard search: it may be picked; or an expression fails for it.
inline constexpr uint8_t kPickable = 64, kFailing = 128;

}  // namespace berth::scheduler::devices
