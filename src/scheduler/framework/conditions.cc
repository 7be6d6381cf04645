#include "scheduler/framework/conditions.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/vectorised.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {
namespace {

// All 64 rows of a word take as long as so many one by one.
constexpr int kManyOfWord = 8;

BERTH_VECTORISED
uint64_t RowsWithEnough(const int64_t* allocatable, const int64_t* requested, int64_t request) {
  uint64_t rows = 0;
  for (size_t i = 0; i < 64; ++i) rows |= uint64_t{request <= allocatable[i] - requested[i]} << i;
  return rows;
}

BERTH_VECTORISED
void MarkShortRows(const int64_t* allocatable, const int64_t* requested, int64_t request,
                   uint32_t is_short, uint32_t is_too_small, uint32_t* kinds) {
  for (size_t i = 0; i < 64; ++i) {
    const auto lacks = static_cast<uint32_t>(request > allocatable[i] - requested[i]);
    const auto too_small = static_cast<uint32_t>(request > allocatable[i]);
    kinds[i] |= lacks * (is_short | too_small * is_too_small);
  }
}

BERTH_VECTORISED
void MarkAllowed(const int32_t* counts, int32_t lowest, int32_t highest, size_t count,
                 int32_t* allowed) {
  for (size_t i = 0; i < count; ++i) {
    const int32_t counted = counts[i] == DomainCount::kNotCounted ? 0 : counts[i];
    allowed[i] = static_cast<int32_t>(lowest <= counted) & static_cast<int32_t>(counted <= highest);
  }
}

// The amounts of the same plugin that follow one another.
std::span<const Condition> AmountsFrom(std::span<const Condition> conditions) {
  const auto end = std::ranges::find_if_not(
      conditions, [](const Condition& c) { return std::holds_alternative<Amount>(c); });
  return conditions.first(static_cast<size_t>(end - conditions.begin()));
}

bool HasColumn(const Amount& amount) {
  return amount.allocatable != nullptr && !amount.passes_if_unlisted;
}

void FilterByAmount(const Amount& amount, model::NodeMask& nodes) {
  const size_t full = nodes.size() / 64;
  nodes.KeepByWord([&](size_t w) {
    uint64_t word = nodes.words()[w];
    if (w < full && std::popcount(word) >= kManyOfWord && HasColumn(amount))
      return RowsWithEnough(&(*amount.allocatable)[w * 64], &(*amount.requested)[w * 64],
                            amount.request);
    for (uint64_t rest = word; rest != 0; rest &= rest - 1) {
      if (!amount.Passes(w * 64 + static_cast<size_t>(std::countr_zero(rest))))
        word &= ~(rest & -rest);
    }
    return word;
  });
}

void FilterByDomain(const DomainCount& rule, model::NodeMask& nodes) {
  const size_t domains = (*rule.key)->domains().size();
  DomainTable keep(domains, rule.Allows(0));
  keep.none() = rule.missing ? 0 : 1;
  if (const auto* indexed = std::get_if<const model::IndexedCounts*>(&rule.counts)) {
    (*indexed)->ForEach([&](size_t domain, int32_t count) {
      if (domain < domains) keep[domain] = rule.Allows(count);
    });
  } else {
    const auto listed = std::get<std::span<const int32_t>>(rule.counts);
    MarkAllowed(listed.data(), rule.lowest, rule.highest, std::min(listed.size(), domains),
                keep.data());
  }
  KeepDomains(nodes, rule.domain_of, keep);
}

std::string ReasonOf(const Amount& amount, const Cycle& cycle) {
  return amount.of == Amount::Of::kPods ? "Too many pods"
                                        : "Insufficient " + NameOf(amount, cycle.cluster());
}

Verdict JudgeAmounts(std::span<const Condition> amounts, const Cycle& cycle, size_t row) {
  std::vector<std::string> reasons;
  bool is_short = false, is_too_small = false;
  for (const Condition& condition : amounts) {
    const Amount& amount = std::get<Amount>(condition);
    if (amount.Passes(row)) continue;
    is_short = true;
    is_too_small |= amount.IsTooSmall(row);
    // DIFFERS: only the first are named.
    if (reasons.size() < kMaxInsufficientResources) reasons.push_back(ReasonOf(amount, cycle));
  }
  if (!is_short) return {};
  return {is_too_small ? Code::kUnschedulableAndUnresolvable : Code::kUnschedulable,
          std::move(reasons)};
}

Verdict VerdictOf(const Rejection& rejection) {
  return {rejection.code, std::string(rejection.reason)};
}

Verdict JudgeOne(const Condition& condition, const Cycle& cycle, model::NodeRow node) {
  struct {
    Verdict operator()(const Amount&) const { return {}; }  // See JudgeAmounts.
    Verdict operator()(const DomainCount& rule) const {
      const model::DomainId domain = rule.domain_of[node.index()];
      if (rule.Passes(domain)) return {};
      return VerdictOf(domain.valid() ? rule.rejection : *rule.missing);
    }
    Verdict operator()(const Rows& rule) const {
      return !rule.rejection || rule.Passes(node.index()) ? Verdict() : VerdictOf(*rule.rejection);
    }
    Verdict operator()(const NodeClass& rule) const {
      return !rule.rejection || rule.is->Holds(cycle, node) ? Verdict()
                                                            : VerdictOf(*rule.rejection);
    }
    Verdict operator()(const Opaque& rule) const { return rule.filter->FilterNode(cycle, node); }

    const Cycle& cycle;
    const model::NodeRow node;
  } const judge{cycle, node};
  return std::visit(judge, condition);
}

// The numbers of RejectionKinds: a bit for each amount that is short and one if it is too small, or
// the first condition that is not met.
constexpr size_t kMaxConditions = 24;
constexpr uint32_t kTooSmall = uint32_t{1} << 30;
constexpr uint32_t kFirst = uint32_t{1} << 31;
constexpr uint32_t kUndecided = 0;

// Adds to the kinds of the nodes what they lack of the amount, the i-th of the conditions; `all` if
// those of other nodes do not matter.
void AddShortKinds(const Amount& amount, size_t i, size_t first, uint64_t rows, bool all,
                   std::span<uint32_t, 64> kinds) {
  const uint32_t is_short = uint32_t{1} << i;
  const uint32_t is_too_small = amount.of == Amount::Of::kPods ? 0 : kTooSmall;
  if (all && std::popcount(rows) >= kManyOfWord && HasColumn(amount) &&
      first + 64 <= amount.allocatable->size()) {
    MarkShortRows(&(*amount.allocatable)[first], &(*amount.requested)[first], amount.request,
                  is_short, is_too_small, kinds.data());
    return;
  }
  for (; rows != 0; rows &= rows - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rows));
    if (amount.Passes(first + at)) continue;
    kinds[at] |= is_short | (amount.IsTooSmall(first + at) ? is_too_small : 0);
  }
}

// Returns the number of nodes that the condition, the i-th, rejects as it does this one; kUndecided
// if the node meets it.
uint32_t KindOf(const Condition& condition, size_t i, const Cycle& cycle, model::NodeRow node) {
  const uint32_t kind = kFirst | static_cast<uint32_t>(2 * i);
  if (const auto* rule = std::get_if<DomainCount>(&condition)) {
    const model::DomainId domain = rule->domain_of[node.index()];
    if (rule->Passes(domain)) return kUndecided;
    return domain.valid() ? kind : kind + 1;
  }
  if (const auto* rule = std::get_if<Rows>(&condition))
    return !rule->rejection || rule->Passes(node.index()) ? kUndecided : kind;
  if (const auto* rule = std::get_if<NodeClass>(&condition))
    return !rule->rejection || rule->is->Holds(cycle, node) ? kUndecided : kind;
  const Opaque& rule = std::get<Opaque>(condition);
  if (!rule.one_verdict) return kNoKind;
  return rule.filter->FilterNode(cycle, node).ok() ? kUndecided : kind;
}

}  // namespace

Amount Amount::Slot(const model::NodeColumns& columns) {
  return {.of = Of::kPods,
          .request = 1,
          .allocatable = &columns.allocatable_pods,
          .requested = &columns.pod_count};
}

Amount Amount::Cpu(const model::NodeColumns& columns, int64_t milli_cpu) {
  return {.of = Of::kCpu,
          .request = milli_cpu,
          .allocatable = &columns.allocatable_cpu,
          .requested = &columns.requested_cpu};
}

Amount Amount::Memory(const model::NodeColumns& columns, int64_t bytes) {
  return {.of = Of::kMemory,
          .request = bytes,
          .allocatable = &columns.allocatable_memory,
          .requested = &columns.requested_memory};
}

Amount Amount::EphemeralStorage(const model::NodeColumns& columns, int64_t bytes) {
  return {.of = Of::kEphemeralStorage,
          .request = bytes,
          .allocatable = &columns.allocatable_ephemeral,
          .requested = &columns.requested_ephemeral};
}

Amount Amount::Scalar(const model::NodeColumns& columns, model::ScalarId scalar, int64_t request,
                      bool passes_if_unlisted) {
  const model::NodeColumns::Scalar* column = columns.scalar(scalar);
  return {.of = Of::kScalar,
          .passes_if_unlisted = passes_if_unlisted,
          .scalar = scalar,
          .request = request,
          .allocatable = column == nullptr ? nullptr : &column->allocatable,
          .requested = column == nullptr ? nullptr : &column->requested};
}

std::string NameOf(const Amount& amount, const model::Cluster& cluster) {
  switch (amount.of) {
    case Amount::Of::kPods:
      return "pods";
    case Amount::Of::kCpu:
      return "cpu";
    case Amount::Of::kMemory:
      return "memory";
    case Amount::Of::kEphemeralStorage:
      return "ephemeral-storage";
    case Amount::Of::kScalar:
      break;
  }
  return cluster.scalars().Text(amount.scalar);
}

bool Rows::Passes(size_t row) const {
  if (set != nullptr) return set->Test(row);
  return std::ranges::count(few, model::NodeRow{static_cast<uint32_t>(row)}) > 0;
}

void NodePredicate::Keep(const Cycle& cycle, model::NodeMask& nodes) const {
  nodes.KeepIf(
      [&](size_t row) { return Holds(cycle, model::NodeRow{static_cast<uint32_t>(row)}); });
}

Verdict Filter(const Conditions& conditions, const Cycle& cycle, model::NodeMask& nodes) {
  Verdict error;
  struct {
    void operator()(const Amount&) const {}  // See FilterByAmount.
    void operator()(const DomainCount& rule) const { FilterByDomain(rule, nodes); }
    void operator()(const Rows& rule) const {
      if (rule.set != nullptr) {
        nodes &= *rule.set;
        return;
      }
      model::NodeMask few(nodes.size());
      for (const model::NodeRow row : rule.few) few.Set(row.index());
      nodes &= few;
    }
    void operator()(const NodeClass& rule) const { rule.is->Keep(cycle, nodes); }
    void operator()(const Opaque& rule) const {
      if (!rule.only_explains) error = rule.filter->FilterNodes(cycle, nodes);
    }

    const Cycle& cycle;
    model::NodeMask& nodes;
    Verdict& error;
  } const filter{cycle, nodes, error};
  for (const Condition& condition : conditions) {
    if (const auto* amount = std::get_if<Amount>(&condition)) {
      FilterByAmount(*amount, nodes);
    } else {
      std::visit(filter, condition);
      if (!error.ok()) return error;
    }
  }
  return {};
}

bool Passes(const Condition& condition, const Cycle& cycle, model::NodeRow node) {
  struct {
    bool operator()(const Amount& rule) const { return rule.Passes(node.index()); }
    bool operator()(const DomainCount& rule) const { return rule.Passes(node.index()); }
    bool operator()(const Rows& rule) const { return rule.Passes(node.index()); }
    bool operator()(const NodeClass& rule) const { return rule.is->Holds(cycle, node); }
    bool operator()(const Opaque& rule) const {
      return rule.only_explains || rule.filter->FilterNode(cycle, node).ok();
    }

    const Cycle& cycle;
    const model::NodeRow node;
  } const passes{cycle, node};
  return std::visit(passes, condition);
}

bool Passes(std::span<const Condition> conditions, const Cycle& cycle, model::NodeRow node) {
  return std::ranges::all_of(
      conditions, [&](const Condition& condition) { return Passes(condition, cycle, node); });
}

Verdict Judge(const Conditions& conditions, const Cycle& cycle, model::NodeRow node) {
  for (std::span<const Condition> rest(conditions.data(), conditions.size()); !rest.empty();) {
    const std::span<const Condition> amounts = AmountsFrom(rest);
    Verdict verdict = amounts.empty() ? JudgeOne(rest.front(), cycle, node)
                                      : JudgeAmounts(amounts, cycle, node.index());
    if (!verdict.ok()) return verdict;
    rest = rest.subspan(std::max<size_t>(amounts.size(), 1));
  }
  return {};
}

void RejectionKinds(const Conditions& conditions, const Cycle& cycle, size_t first, uint64_t rows,
                    std::span<uint32_t, 64> kinds) {
  std::ranges::fill(kinds, kUndecided);
  uint64_t undecided = conditions.size() <= kMaxConditions ? rows : 0;
  const auto visit_undecided = [&](auto&& visit) {
    for (uint64_t rest = undecided; rest != 0; rest &= rest - 1)
      visit(static_cast<size_t>(std::countr_zero(rest)));
  };
  for (size_t i = 0; i < conditions.size() && undecided != 0; ++i) {
    if (const auto* amount = std::get_if<Amount>(&conditions[i])) {
      AddShortKinds(*amount, i, first, undecided, undecided == rows, kinds);
      const bool more =
          i + 1 < conditions.size() && std::holds_alternative<Amount>(conditions[i + 1]);
      if (more) continue;
    } else {
      visit_undecided([&](size_t at) {
        const model::NodeRow node{static_cast<uint32_t>(first + at)};
        kinds[at] = KindOf(conditions[i], i, cycle, node);
      });
    }
    visit_undecided([&](size_t at) {
      if (kinds[at] != kUndecided) undecided &= ~(uint64_t{1} << at);
    });
  }
  for (uint32_t& kind : kinds) kind = kind == kUndecided ? kNoKind : kind;
}

}  // namespace berth::scheduler::framework
