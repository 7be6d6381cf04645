// How long a pod waits after it could not be scheduled: twice as long each time, up to a limit.
#pragma once

#include "base/time.h"
#include "queue/queue_entry.h"

namespace berth {

struct BackoffPolicy {
  Duration initial = Duration::Seconds(1);
  Duration max = Duration::Seconds(10);

  // When the entry's wait ends, to the second; the beginning of time if it need not wait.
  Instant EndOf(const QueueEntry& entry) const;
};

// Waits end together at full seconds, so that urgent pods of one second come first. A pod leaves at
// the first full second after its end.
inline Instant FullSecond(Instant time) {
  constexpr int64_t kSecond = Duration::Seconds(1).nanos;
  return {time.nanos - (time.nanos % kSecond + kSecond) % kSecond};
}
inline Instant LeavesAt(Instant backoff_end) { return backoff_end + Duration::Seconds(1); }

}  // namespace berth
