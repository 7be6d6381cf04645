#include "scheduler/groups/group_domains.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "scheduler/model/labels.h"

namespace berth::scheduler::groups {
namespace {

// More than a node ever holds: counts if nothing else limits the pods on it.
constexpr size_t kMostPods = 100'000;

}  // namespace

GroupDomains::GroupDomains(const model::Cluster& cluster, const GroupProblem& problem,
                           const std::vector<std::string>& levels,
                           const std::vector<framework::Placement>& within,
                           const std::vector<model::NodeRow>& scheduled)
    : cluster_(cluster), problem_(problem), within_(within), scheduled_(scheduled) {
  for (const std::string& label : levels) {
    levels_.push_back(Divide(label));
    CountCapacity(levels_.back());
  }
  // From the largest domains down, so that each knows the capacities of those it is part of.
  for (size_t i = levels_.size(); i-- > 1;) {
    for (Domain& domain : levels_[i - 1].domains) {
      const uint32_t larger = levels_[i].domain_of[domain.rows.front()];
      if (larger == kNone) continue;
      const std::vector<size_t>& capacities = levels_[i].domains[larger].capacity;
      domain.capacity.insert(domain.capacity.end(), capacities.begin(), capacities.end());
    }
  }
}

GroupDomains::Level GroupDomains::Divide(const std::string& label) const {
  const model::NodeTable& nodes = cluster_.nodes();
  const Symbol key = cluster_.symbols().Find(label);
  Level level;
  level.domain_of.assign(nodes.rows(), kNone);
  for (size_t i = 0; i < within_.size(); ++i) {
    std::map<Symbol, uint32_t> by_value;
    within_[i].nodes.ForEach([&](size_t row) {
      const model::NodeInfo& node = nodes.info(model::NodeRow{static_cast<uint32_t>(row)});
      const Symbol value = model::FindLabel(node.labels, key);
      if (!value.valid()) return;
      const auto next = static_cast<uint32_t>(level.domains.size());
      const auto [found, is_new] = by_value.try_emplace(value, next);
      if (is_new) {
        Domain& domain = level.domains.emplace_back();
        domain.name = cluster_.symbols().Text(value);
        domain.within = i;
        domain.fit.resize(problem_.kinds.size());
      }
      level.domain_of[row] = found->second;
      level.domains[found->second].rows.push_back(static_cast<uint32_t>(row));
    });
  }
  return level;
}

void GroupDomains::CountCapacity(Level& level) const {
  for (Domain& domain : level.domains) {
    size_t capacity = 0;
    for (size_t kind = 0; kind < domain.fit.size(); ++kind) {
      const MemberKind& members = problem_.kinds[kind];
      for (uint32_t row : domain.rows) {
        if (!members.nodes.Test(row)) continue;
        domain.fit[kind] += MembersThatFit(members.requests, problem_.free, row, kMostPods);
      }
      capacity += domain.fit[kind];
    }
    domain.capacity = {capacity};
  }
  for (model::NodeRow row : scheduled_) {
    const uint32_t domain = level.domain_of[row.index()];
    if (domain != kNone) ++level.domains[domain].scheduled;
  }
}

std::vector<const GroupDomains::Domain*> GroupDomains::Holding(size_t level, size_t members) const {
  std::vector<const Domain*> domains;
  for (const Domain& domain : levels_[level].domains) {
    size_t fit = 0;
    for (size_t kind = 0; kind < domain.fit.size(); ++kind)
      fit += std::min(domain.fit[kind], problem_.kinds[kind].members.size());
    if (fit >= members && domain.scheduled == scheduled_.size()) domains.push_back(&domain);
  }
  std::ranges::sort(domains, [](const Domain* a, const Domain* b) {
    return std::tie(a->capacity, a->name, a->within) < std::tie(b->capacity, b->name, b->within);
  });
  return domains;
}

framework::Placement GroupDomains::PlacementOf(const Domain& domain) const {
  framework::Placement placement{domain.name, model::NodeMask(cluster_.nodes().rows())};
  for (uint32_t row : domain.rows) placement.nodes.Set(row);
  return placement;
}

}  // namespace berth::scheduler::groups
