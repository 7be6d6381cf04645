// FIFOSort tries pods in the order in which they came, whatever their priority. It is not in
// kube-scheduler; a profile may choose it instead of PrioritySort.
#pragma once

#include "framework/plugin.h"
#include "framework/queued_pod.h"

namespace berth {

class FifoSort final : public QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "FIFOSort";
  std::string_view name() const override { return kName; }

  bool Less(const QueuedPod& a, const QueuedPod& b) const override {
    return a.timestamp < b.timestamp;
  }
};

}  // namespace berth
