#include "scheduler/queue/queue_entry.h"

namespace berth::scheduler::queue {

Instant BackoffPolicy::EndOf(const QueueEntry& entry) const {
  const uint32_t count = entry.errors_in_row > 0 ? entry.errors_in_row : entry.rejections;
  if (max.nanos == 0 || count == 0) return {};
  const uint32_t shift = count - 1;
  const bool over = shift >= 63 || initial.nanos > (max.nanos >> shift);
  const Duration wait = over ? max : Duration{initial.nanos << shift};
  return entry.order.timestamp + wait;
}

}  // namespace berth::scheduler::queue
