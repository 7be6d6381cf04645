// ScaledClock makes another clock's time run faster or slower, from the instant of its making on.
#pragma once

#include "base/time.h"

namespace berth::world {

class ScaledClock final : public Clock {
 public:
  // `clock` must outlive it; `speed` must be positive.
  ScaledClock(const Clock& clock, double speed)
      : clock_(clock), start_(clock.Now()), speed_(speed) {}

  Instant Now() const override {
    const auto passed = static_cast<double>((clock_.Now() - start_).nanos);
    return start_ + Duration{static_cast<int64_t>(passed * speed_)};
  }

 private:
  const Clock& clock_;
  Instant start_;
  double speed_;
};

}  // namespace berth::world
