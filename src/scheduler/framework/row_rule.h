// RowRule is a condition on a node that takes a look-up or two: by topology domain, as required
// spread and pod affinity are, by the free amount of a scalar resource, or by a set of nodes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/model/ids.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::framework {

class RowRule {
 public:
  // What the rules refer to must outlive them.

  // A node passes if the count of its domain is from `lowest` to `highest`; one in no domain if
  // `none_passes`.
  static RowRule CountIn(std::span<const model::DomainId> domain_of,
                         const model::IndexedCounts& counts, int32_t lowest, int32_t highest,
                         bool none_passes) {
    return RowRule(ByCount{domain_of, &counts, lowest, highest, none_passes});
  }
  // A node passes if its domain has at most so many; one in no domain does not. A domain that is
  // not counted (kNotCounted) has none.
  static constexpr int32_t kNotCounted = INT32_MIN;
  static RowRule AtMost(std::span<const model::DomainId> domain_of, std::span<const int32_t> counts,
                        int32_t limit) {
    return RowRule(ByLimit{domain_of, counts, limit});
  }
  // A node passes if it is one of these.
  static RowRule InSet(const model::NodeMask& rows) { return RowRule(BySet{&rows}); }
  // A node passes if `amount` is free; one that has none at all if `none_passes`.
  static RowRule HasFree(std::span<const int64_t> allocatable, std::span<const int64_t> requested,
                         int64_t amount, bool none_passes) {
    return RowRule(ByAmount{allocatable, requested, amount, none_passes});
  }

  // Reports whether all nodes of one of these domains pass, or none.
  bool IsAbout(std::span<const model::DomainId> domains) const {
    return std::visit([&](const auto& rule) { return rule.domains().data() == domains.data(); },
                      rule_);
  }
  bool Passes(size_t row) const {
    return std::visit([&](const auto& rule) { return rule.Passes(row); }, rule_);
  }
  // Reports whether the nodes of the domain pass; it is one of those that the rule IsAbout.
  bool Passes(model::DomainId domain) const {
    return std::visit([&](const auto& rule) { return rule.Passes(domain); }, rule_);
  }
  // Calls remove(i) for each i below `count` for which row_of(i) does not pass.
  template <typename RowOf, typename Remove>
  void RemoveOthers(size_t count, RowOf&& row_of, Remove&& remove) const {
    std::visit(
        [&](const auto& rule) {
          for (size_t i = 0; i < count; ++i) {
            if (!rule.Passes(row_of(i))) remove(i);
          }
        },
        rule_);
  }

 private:
  struct ByCount {
    std::span<const model::DomainId> domain_of;
    const model::IndexedCounts* counts;
    int32_t lowest, highest;
    bool none_passes;

    std::span<const model::DomainId> domains() const { return domain_of; }
    bool Passes(size_t row) const { return Passes(domain_of[row]); }
    bool Passes(model::DomainId domain) const {
      if (!domain.valid()) return none_passes;
      const int32_t count = (*counts)[domain.index()];
      return lowest <= count && count <= highest;
    }
  };
  struct ByLimit {
    std::span<const model::DomainId> domain_of;
    std::span<const int32_t> counts;
    int32_t limit;

    std::span<const model::DomainId> domains() const { return domain_of; }
    bool Passes(size_t row) const { return Passes(domain_of[row]); }
    bool Passes(model::DomainId domain) const {
      if (!domain.valid()) return false;
      const int32_t count = counts[domain.index()];
      return (count == kNotCounted ? 0 : count) <= limit;
    }
  };
  struct ByAmount {
    std::span<const int64_t> allocatable, requested;
    int64_t amount;
    bool none_passes;

    std::span<const model::DomainId> domains() const { return {}; }
    static bool Passes(model::DomainId /*domain*/) { return true; }
    bool Passes(size_t row) const {
      if (allocatable[row] <= 0 && none_passes) return true;
      return amount <= allocatable[row] - requested[row];
    }
  };
  struct BySet {
    const model::NodeMask* rows;

    std::span<const model::DomainId> domains() const { return {}; }
    static bool Passes(model::DomainId /*domain*/) { return true; }
    bool Passes(size_t row) const { return rows->Test(row); }
  };
  using Rule = std::variant<ByCount, ByLimit, ByAmount, BySet>;
  explicit RowRule(Rule rule) : rule_(std::move(rule)) {}

  Rule rule_;
};

}  // namespace berth::scheduler::framework
