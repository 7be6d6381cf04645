// DisruptionBudgets tells which evictions violate a PodDisruptionBudget, counted one after another.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/selector.h"

namespace berth::api {
struct PodDisruptionBudget;
}
namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::plugins {

class DisruptionBudgets {
 public:
  // `cluster` must outlive this, and its budgets must not change.
  explicit DisruptionBudgets(const model::Cluster& cluster) : cluster_(cluster) {}

  // Subtracts the eviction of `pod` from every budget that covers it; returns whether one of them
  // is exceeded.
  bool Overdraws(const model::PodRecord& pod);

 private:
  struct Budget {
    const api::PodDisruptionBudget* object;
    api::Selector selector;
    int64_t left;
  };

  std::vector<Budget> BudgetsIn(const std::string& namespace_) const;

  const model::Cluster& cluster_;
  std::map<std::string, std::vector<Budget>> by_namespace_;
};

}  // namespace berth::scheduler::plugins
