// The QueueSort plugins: PrioritySort, which is the default, and FIFOSort.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

// PrioritySort orders pods by priority, highest first, and among equals by the time they entered
// the queue.
class PrioritySort final : public framework::QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "PrioritySort";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override { return {}; }

  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const override;
};

// FIFOSort orders pods by arrival, whatever their priority. It is not in kube-scheduler; a profile
// may enable it instead of PrioritySort.
class FifoSort final : public framework::QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "FIFOSort";
  std::string_view name() const override { return kName; }

  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const override {
    return a.timestamp < b.timestamp;
  }
};

}  // namespace berth::scheduler::plugins
