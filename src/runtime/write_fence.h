// WriteFence decides whether this process may write: while it leads, and only until its lease ends
// by the steady clock.
//
// A write can wait for long between the engine and the socket: for its thread, the rate limiter, a
// retry or a connection. So each request asks at the moment in which it is sent, and closing the
// fence stops all of them, wherever they are. Functions may be called on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "base/time.h"

namespace berth::runtime {

class WriteFence {
 public:
  // The fence is closed, and there is no lease to lose. `steady_clock` must outlive it.
  explicit WriteFence(const Clock& steady_clock) : clock_(steady_clock) {}

  void Open() { open_ = true; }
  void Close() { open_ = false; }
  // The lease ends at `end`, unless a later call moves it.
  void SetLeaseEnd(Instant end) { lease_end_ = end.nanos; }

  // Reports whether events, which tell what was done, may still be written.
  bool holds_lease() const { return clock_.Now().nanos < lease_end_; }
  bool is_open() const { return open_ && holds_lease(); }

 private:
  const Clock& clock_;
  std::atomic<bool> open_ = false;
  std::atomic<int64_t> lease_end_ = std::numeric_limits<int64_t>::max();
};

}  // namespace berth::runtime
