// Instants of a clock that only goes forward.
#pragma once

#include <chrono>

namespace berth::net {

using SteadyTime = std::chrono::steady_clock::time_point;

}  // namespace berth::net
