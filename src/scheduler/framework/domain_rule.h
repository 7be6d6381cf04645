// DomainRule is a filter by topology domain, as required spread and pod affinity are.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/model/ids.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::framework {

// Nodes pass if the number of their domain is in a range, or if a table says so.
class DomainRule {
 public:
  // `counts` and `domain_of` must outlive the rule. `none_passes`: nodes in no domain pass.
  DomainRule(std::span<const model::DomainId> domain_of, const model::IndexedCounts& counts,
             int32_t lowest, int32_t highest, bool none_passes)
      : domain_of_(domain_of),
        counts_(&counts),
        lowest_(lowest),
        highest_(highest),
        none_passes_(none_passes) {}
  // passes[domain] is whether nodes of the domain pass; nodes in no domain do not.
  DomainRule(std::span<const model::DomainId> domain_of, std::vector<bool> passes)
      : domain_of_(domain_of), passes_(std::move(passes)) {}

  bool Passes(size_t row) const {
    const model::DomainId domain = domain_of_[row];
    if (!domain.valid()) return none_passes_;
    if (counts_ == nullptr) return passes_[domain.index()];
    const int32_t count = (*counts_)[domain.index()];
    return lowest_ <= count && count <= highest_;
  }

 private:
  std::span<const model::DomainId> domain_of_;
  const model::IndexedCounts* counts_ = nullptr;
  std::vector<bool> passes_;
  int32_t lowest_ = 0, highest_ = 0;
  bool none_passes_ = false;
};

}  // namespace berth::scheduler::framework
