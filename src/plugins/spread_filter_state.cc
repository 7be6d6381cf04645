#include "plugins/spread_filter_state.h"

#include <algorithm>

namespace berth {

DomainTally::DomainTally(const Cycle& cycle, const SpreadRule& rule, const SpreadCount& count,
                         const NodeMask& nodes) {
  const Topology::Key& key = cycle.nodes().topology().key(rule.key);
  counts_.assign(key.domains.size(), kNoDomain);
  if (nodes == cycle.nodes().present()) {
    // Every node counts: the cluster has added it up already.
    const auto sums =
        count.counter != nullptr ? count.counter->PerDomain(rule.key) : std::span<const int32_t>();
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (key.domains[i].nodes > 0) counts_[i] = i < sums.size() ? sums[i] : 0;
    }
  } else {
    nodes.ForEach([&](size_t row) {
      AddTo(counts_[key.domain_of[row].index()],
            count.counter != nullptr ? count.counter->OnNode(row) : 0);
    });
  }
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == kNoDomain) continue;
    ++domains_;
    Remember(DomainId{static_cast<uint32_t>(i)}, counts_[i]);
  }
}

void DomainTally::Remember(DomainId domain, int64_t count) {
  if (domain == least_[0].domain) {
    least_[0].count = count;
  } else if (domain == least_[1].domain) {
    least_[1].count = count;
  } else if (count < least_[0].count) {
    least_[1] = least_[0];
    least_[0] = {domain, count};
    return;
  } else if (count < least_[1].count) {
    least_[1] = {domain, count};
    return;
  } else {
    return;
  }
  if (least_[0].count > least_[1].count) std::swap(least_[0], least_[1]);
}

void DomainTally::Adjust(DomainId domain, int32_t delta) {
  if (counts_.size() <= domain.index()) counts_.resize(domain.index() + 1, kNoDomain);
  int32_t& count = counts_[domain.index()];
  AddTo(count, delta);
  Remember(domain, count);
}

}  // namespace berth
