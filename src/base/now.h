// Now is the present on two clocks.
#pragma once

#include "base/time.h"

namespace berth {

// `steady` measures intervals and never goes back. `wall` is the date, for times that others read
// or have written; it jumps when somebody sets the clock.
struct Now {
  Instant steady;
  Instant wall;

  // Where both clocks are one, as in most tests.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Now(Instant both = {}) : steady(both), wall(both) {}
  constexpr Now(Instant steady_now, Instant wall_now) : steady(steady_now), wall(wall_now) {}

  friend constexpr bool operator==(const Now&, const Now&) = default;
};

}  // namespace berth
