// Instant is a point in time in nanoseconds since the Unix epoch; Duration is a difference of two.
//
// The engine never reads a clock: its driver passes the time in. `Clock` is for drivers.
#pragma once

#include <compare>
#include <cstdint>

namespace berth {

struct Duration {
  int64_t nanos = 0;

  static constexpr Duration Seconds(int64_t n) { return {n * 1'000'000'000}; }
  static constexpr Duration Millis(int64_t n) { return {n * 1'000'000}; }

  constexpr double seconds() const { return static_cast<double>(nanos) * 1e-9; }
  friend constexpr auto operator<=>(Duration, Duration) = default;
};

struct Instant {
  int64_t nanos = 0;

  static constexpr Instant FromUnixSeconds(int64_t n) { return {n * 1'000'000'000}; }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant t, Duration d) { return {t.nanos + d.nanos}; }
  friend constexpr Duration operator-(Instant a, Instant b) { return {a.nanos - b.nanos}; }
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant Now() const override;
};

// SimClock stands still until Advance is called.
class SimClock final : public Clock {
 public:
  explicit SimClock(Instant start = {}) : now_(start) {}
  Instant Now() const override { return now_; }
  void Advance(Duration by) { now_ = now_ + by; }

 private:
  Instant now_;
};

// ScaledClock runs faster or slower than another clock, starting from the same time.
class ScaledClock final : public Clock {
 public:
  // `clock` must outlive this object; `speed` must be positive.
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

}  // namespace berth
