// Conditions are what a filter requires of a node for one pod, as data. The plugin lists them
// (FilterPlugin::Require); every use of the rule is an interpretation, the same for all plugins.
//
// conditions.cc filters many nodes, judges one, and tells apart why nodes are rejected;
// search_rules.cc turns conditions into a search. They are made for each use: they refer to columns
// and counters, which must not be replaced while they are used, and copy no numbers that change.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::model {
class Cluster;
struct NodeColumns;
}  // namespace berth::scheduler::model

namespace berth::scheduler::framework {

class Cycle;
class NodeFilter;

// Why a node that does not meet a condition is rejected. The text must outlive the condition.
struct Rejection {
  Code code = Code::kUnschedulable;
  std::string_view reason;
};

// The node has so much of a resource free. All amounts that a node lacks are reported together; if
// it has too little of one even without pods, the node is UnschedulableAndUnresolvable.
struct Amount {
  enum class Of : uint8_t { kPods, kCpu, kMemory, kEphemeralStorage, kScalar };

  // One more pod.
  static Amount Slot(const model::NodeColumns& columns);
  static Amount Cpu(const model::NodeColumns& columns, int64_t milli_cpu);
  static Amount Memory(const model::NodeColumns& columns, int64_t bytes);
  static Amount EphemeralStorage(const model::NodeColumns& columns, int64_t bytes);
  static Amount Scalar(const model::NodeColumns& columns, model::ScalarId scalar, int64_t request,
                       bool passes_if_unlisted);

  Of of = Of::kPods;
  // Nodes that do not list the resource pass: devices provide it there.
  bool passes_if_unlisted = false;
  model::ScalarId scalar = {};
  int64_t request = 0;
  // By row; null if no node lists the resource.
  const std::vector<int64_t>* allocatable = nullptr;
  const std::vector<int64_t>* requested = nullptr;

  int64_t AllocatableOn(size_t row) const {
    return allocatable == nullptr ? 0 : (*allocatable)[row];
  }
  int64_t RequestedOn(size_t row) const { return requested == nullptr ? 0 : (*requested)[row]; }
  bool Passes(size_t row) const {
    const int64_t has = AllocatableOn(row);
    return (passes_if_unlisted && has <= 0) || request <= has - RequestedOn(row);
  }
  // Reports whether a node that does not pass has too little even without pods.
  bool IsTooSmall(size_t row) const { return of != Of::kPods && request > AllocatableOn(row); }
};

// "cpu", "example.com/gpu".
std::string NameOf(const Amount& amount, const model::Cluster& cluster);

// A live count of the node's domain of a topology key is within bounds.
struct DomainCount {
  // Marks domains that are not counted, as if they had none.
  static constexpr int32_t kNotCounted = INT32_MIN;
  using Counts = std::variant<std::span<const int32_t>, const model::IndexedCounts*>;

  // Both must outlive the condition; `domain_counts` are by domain of `topology_key`.
  DomainCount(const model::Topology::KeyRef& topology_key, Counts domain_counts)
      : key(&topology_key), domain_of(topology_key->domain_of()), counts(domain_counts) {}

  const model::Topology::KeyRef* key;
  std::span<const model::DomainId> domain_of;  // By row.
  Counts counts;
  int32_t lowest = INT32_MIN, highest = INT32_MAX;
  // The highest count follows the lowest of all domains, as spreading requires: domains are full by
  // turns.
  bool follows_lowest = false;
  Rejection rejection;
  std::optional<Rejection> missing;  // Of nodes in no domain; they pass if it is absent.

  int32_t CountIn(model::DomainId domain) const {
    if (const auto* indexed = std::get_if<const model::IndexedCounts*>(&counts))
      return (**indexed)[domain.index()];
    const auto& listed = std::get<std::span<const int32_t>>(counts);
    if (domain.index() >= listed.size()) return 0;
    const int32_t count = listed[domain.index()];
    return count == kNotCounted ? 0 : count;
  }
  bool Allows(int32_t count) const { return lowest <= count && count <= highest; }
  bool Passes(model::DomainId domain) const {
    return domain.valid() ? Allows(CountIn(domain)) : !missing;
  }
  bool Passes(size_t row) const { return Passes(domain_of[row]); }
};

// The node is one of these, which PreFilter has found.
struct Rows {
  static constexpr size_t kFew = 16;
  // A set, or, without one, a list of at most kFew.
  const model::NodeMask* set = nullptr;
  std::span<const model::NodeRow> few;
  // Absent if an Opaque of the plugin rejects the others, too, and says why.
  std::optional<Rejection> rejection;

  bool Passes(size_t row) const;
};

// A yes-or-no question about what a node is: its labels, taints, features, whether it is cordoned.
class NodePredicate {
 public:
  virtual ~NodePredicate() = default;
  virtual bool Holds(const Cycle& cycle, model::NodeRow node) const = 0;
  // Clears from `nodes` those for which it does not hold.
  virtual void Keep(const Cycle& cycle, model::NodeMask& nodes) const;
  // Appends what it depends on besides the node, so that pods with equal keys share the answers for
  // all nodes. Returns false if few pods would: then it is asked for few nodes.
  virtual bool AppendKey(const Cycle& cycle, std::string& key) const = 0;
};
struct NodeClass {
  const NodePredicate* is = nullptr;
  std::optional<Rejection> rejection;  // As that of Rows.
};

// A function of a node.
struct Opaque {
  const NodeFilter* filter = nullptr;
  // All nodes that it rejects have equal verdicts.
  bool one_verdict = false;
  // Every node must be evaluated: the function may fail, which ends the cycle wherever else the pod
  // fits, or it rejects them all.
  bool evaluates_all = false;
  // The conditions before it decide; it only says why.
  bool only_explains = false;
};

using Condition = std::variant<Amount, DomainCount, Rows, NodeClass, Opaque>;
// Those that take a look-up or two.
using RowCondition = std::variant<Amount, DomainCount, Rows>;
// In the order in which they are checked: the first that a node does not meet decides.
using Conditions = boost::container::small_vector<Condition, 4>;

// --- interpretations ---

// Clears from `nodes` those that do not meet the conditions. Fails if an opaque one does.
Verdict Filter(const Conditions& conditions, const Cycle& cycle, model::NodeMask& nodes);

inline bool Passes(const RowCondition& condition, size_t row) {
  return std::visit([&](const auto& rule) { return rule.Passes(row); }, condition);
}

// Reports whether the node meets the condition.
bool Passes(const Condition& condition, const Cycle& cycle, model::NodeRow node);
bool Passes(std::span<const Condition> conditions, const Cycle& cycle, model::NodeRow node);

// Returns Success if the node meets the conditions, and otherwise why not.
Verdict Judge(const Conditions& conditions, const Cycle& cycle, model::NodeRow node);

// Of 64 rows from `first` on, writes to kinds[i] for those in `rows`, none of which meets the
// conditions, a number that nodes with equal verdicts have in common; kNoKind if the verdict is not
// known from it.
inline constexpr uint32_t kNoKind = UINT32_MAX;
void RejectionKinds(const Conditions& conditions, const Cycle& cycle, size_t first, uint64_t rows,
                    std::span<uint32_t, 64> kinds);

}  // namespace berth::scheduler::framework
