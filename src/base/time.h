// Instant is a point in time in nanoseconds since the Unix epoch; Duration is a difference of two.
//
// The engine never reads a clock: its driver passes the time in. `Clock` is for drivers.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

#include "base/saturating.h"

namespace berth {

// Sums, differences and products saturate: times come from outside, too. Quotients are truncated
// towards zero.
struct Duration {
  int64_t nanos = 0;

  static constexpr Duration Seconds(int64_t n) { return {SaturatingMultiply(n, 1'000'000'000)}; }
  static constexpr Duration Millis(int64_t n) { return {SaturatingMultiply(n, 1'000'000)}; }
  // Truncate to a whole nanosecond, and to the range of int64_t.
  static constexpr Duration FromSeconds(double seconds) { return FromNanos(seconds * 1e9); }
  static constexpr Duration FromNanos(double nanos) {
    constexpr double kLimit = 9.2e18;
    return {static_cast<int64_t>(nanos < -kLimit ? -kLimit : nanos > kLimit ? kLimit : nanos)};
  }

  constexpr double seconds() const { return static_cast<double>(nanos) / 1e9; }
  constexpr double millis() const { return static_cast<double>(nanos) / 1e6; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator-(Duration d) { return {SaturatingSubtract(0, d.nanos)}; }
  friend constexpr Duration operator+(Duration a, Duration b) {
    return {SaturatingAdd(a.nanos, b.nanos)};
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return {SaturatingSubtract(a.nanos, b.nanos)};
  }
  friend constexpr Duration operator*(Duration d, std::integral auto n) {
    return {SaturatingMultiply(d.nanos, static_cast<int64_t>(n))};
  }
  friend constexpr Duration operator/(Duration d, std::integral auto n) {
    return {d.nanos / static_cast<int64_t>(n)};
  }
  friend constexpr Duration operator*(Duration d, double factor) {
    return FromNanos(static_cast<double>(d.nanos) * factor);
  }
  friend constexpr Duration operator/(Duration d, double divisor) {
    return FromNanos(static_cast<double>(d.nanos) / divisor);
  }
  // How often `b` fits into `a`, and what is left of `a` then.
  friend constexpr int64_t operator/(Duration a, Duration b) { return a.nanos / b.nanos; }
  friend constexpr Duration operator%(Duration a, Duration b) { return {a.nanos % b.nanos}; }
  constexpr Duration& operator+=(Duration d) { return *this = *this + d; }
  constexpr Duration& operator-=(Duration d) { return *this = *this - d; }
  constexpr Duration& operator*=(std::integral auto n) { return *this = *this * n; }
};

struct Instant {
  int64_t nanos = 0;

  static constexpr Instant FromUnixSeconds(int64_t n) {
    return {SaturatingMultiply(n, 1'000'000'000)};
  }

  constexpr Duration since_epoch() const { return {nanos}; }
  // The last full second, at or before the instant, as seconds since the epoch.
  constexpr int64_t unix_seconds() const {
    return nanos / 1'000'000'000 - (nanos % 1'000'000'000 < 0 ? 1 : 0);
  }
  constexpr Instant FloorToSecond() const { return FromUnixSeconds(unix_seconds()); }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant t, Duration d) {
    return {SaturatingAdd(t.nanos, d.nanos)};
  }
  friend constexpr Instant operator-(Instant t, Duration d) {
    return {SaturatingSubtract(t.nanos, d.nanos)};
  }
  constexpr Instant& operator+=(Duration d) { return *this = *this + d; }
  constexpr Instant& operator-=(Duration d) { return *this = *this - d; }
  friend constexpr Duration operator-(Instant a, Instant b) {
    return {SaturatingSubtract(a.nanos, b.nanos)};
  }
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
  void Advance(Duration by) { now_ += by; }

 private:
  Instant now_;
};

// ScaledClock runs faster or slower than another clock, starting from the same time.
class ScaledClock final : public Clock {
 public:
  // `clock` must outlive this object; `speed` must be positive.
  ScaledClock(const Clock& clock, double speed)
      : clock_(clock), start_(clock.Now()), speed_(speed) {}

  Instant Now() const override { return start_ + (clock_.Now() - start_) * speed_; }

 private:
  const Clock& clock_;
  Instant start_;
  double speed_;
};

}  // namespace berth
