// PrioritySort tries the pods of higher priority first, and among equals those that have waited
// longer.
#pragma once

#include "framework/plugin.h"

namespace berth {

class PrioritySort final : public QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "PrioritySort";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<Interest> Interests() const override { return {}; }

  bool Less(const QueuedPod& a, const QueuedPod& b) const override;
};

}  // namespace berth
