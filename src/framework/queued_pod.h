// QueuedPod is a waiting pod as the QueueSort plugin sees it.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "cluster/ids.h"

namespace berth {

struct QueuedPod {
  PodId pod;
  int32_t priority = 0;
  Instant timestamp;      // When it entered the queue, or came back to it.
  uint64_t sequence = 0;  // Tells apart pods of the same instant: earlier ones are lower.
};

}  // namespace berth
