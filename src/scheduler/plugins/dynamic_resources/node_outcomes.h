// NodeOutcomes are the results of allocating the claims of a pod on each node, cached for the next
// pods of the same class with equal claims.
//
// An outcome is recomputed only if the node, its devices or a class changed since: see
// model::Devices::changes. So the next pod costs the nodes that changed, not all of them. Nodes
// that see the same pools share one search.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/work_budget.h"
#include "scheduler/devices/extended_resources.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/search.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/dynamic_resources/relevant_pools.h"

namespace berth::scheduler::plugins {

// The special claim of a pod on nodes where the same resources come from devices.
struct SpecialVariant {
  std::shared_ptr<const api::ResourceClaimSpec> spec;
  std::vector<devices::ExtendedResourceMapping> mappings;
  model::Devices::CompiledRef compiled;
};

struct NodeOutcome {
  enum class Kind : uint8_t {
    kNothing,       // There is nothing to allocate on this node.
    kAllocated,     // `found` has the devices.
    kNotAllocated,  // They do not suffice.
    kInvalidPools,
    kCannotFit,      // The node lacks an extended resource.
    kUndecided,      // The search has used up its budget.
    kCutShort,       // Those of the attempt have used up theirs.
    kError,          // See `found.error`.
    kSelectorError,  // The devices cannot be written as an allocation: see `found.error`.
  };
  Kind kind = Kind::kNothing;
  devices::SearchResult found;
  // That `found` refers to: those of the node that are relevant.
  model::Devices::PoolsRef pools;
  std::shared_ptr<const SpecialVariant> special;  // Null if there is none on this node.
  int64_t score = 0;  // By the alternatives that were chosen: see DynamicResources::Score.

  bool passes() const { return kind == Kind::kNothing || kind == Kind::kAllocated; }
  bool rejects() const {
    return kind == Kind::kNotAllocated || kind == Kind::kInvalidPools || kind == Kind::kCannotFit ||
           kind == Kind::kUndecided;
  }
};

// What the outcomes of a pod depend on, except the cluster.
struct AllocationInput {
  std::vector<model::Devices::CompiledRef> claims;  // Those of the pod to allocate.
  bool has_user_claims = false;
  bool has_special_claim = false;  // To allocate, behind the others.
  friend bool operator==(const AllocationInput&, const AllocationInput&) = default;
};

class NodeOutcomes {
 public:
  // `pod_class` must outlive this.
  // A search may do `max_work`.
  NodeOutcomes(const model::PodClass& pod_class, AllocationInput input, uint64_t max_work)
      : class_(pod_class),
        input_(std::move(input)),
        max_work_(max_work),
        relevant_pools_(input_.claims) {}

  const AllocationInput& input() const { return input_; }

  // Forgets the outcomes that may have changed.
  void Refresh(const model::Cluster& cluster);

  // Evaluates those of `nodes` that are not known, by row, up to the first that fails with an
  // error; returns it. Invalid if none does: then all are known.
  //
  // Nodes that are each just easy enough must not add up: all take at most the work of two hard
  // ones, and kWorkOfEasyNode each. The search that reaches this limit is cut short, an error, and
  // begins again with the next call; those before it are known then.
  model::NodeRow Evaluate(const model::Cluster& cluster, const model::NodeMask& nodes);
  // Returns the outcome, evaluated if it is not known.
  const NodeOutcome& For(const model::Cluster& cluster, model::NodeRow node);

  // Known nodes that pass.
  const model::NodeMask& passing() const { return passing_; }
  // Whether some alternatives can be chosen, so that scores are not all 0.
  bool has_scores() const;

  // More than a node takes whose devices and requests are as usual.
  static constexpr uint64_t kWorkOfEasyNode = 2'000;

  size_t bytes() const;
  // How many searches there were so far.
  uint64_t searches() const { return searches_; }

 private:
  void Forget(size_t row);
  void ForgetAll();
  void Resize(size_t rows);
  std::shared_ptr<const NodeOutcome> Compute(const model::Cluster& cluster, model::NodeRow node);
  void Allocate(const model::Cluster& cluster, const api::Node& node, NodeOutcome& outcome,
                devices::SearchMemory* memory);
  devices::SearchMemory* MemoryOf(const NodeOutcome& outcome);
  void MakeMemory(const NodeOutcome& outcome);
  // Sets what extended resources of the pod come from devices. Returns false if the node lacks one.
  bool FindDeviceResources(const model::Cluster& cluster, const api::Node& node,
                           std::vector<std::string>& resources) const;
  std::shared_ptr<const SpecialVariant> VariantFor(const model::Cluster& cluster,
                                                   const std::vector<std::string>& resources);
  int64_t ScoreOf(const NodeOutcome& outcome) const;

  const model::PodClass& class_;
  const AllocationInput input_;
  const uint64_t max_work_;  // Of the search on one node.

  uint64_t work_left_ = WorkBudget::kUnlimited;  // Of the searches of one call of Evaluate.
  model::NodeRow cut_short_;                     // Where it was used up.
  uint64_t epoch_ = UINT64_MAX;
  uint64_t position_ = 0;
  model::NodeMask known_, passing_, errors_;
  std::vector<std::shared_ptr<const NodeOutcome>> outcomes_;  // By row.
  // Outcomes since the last change, by the pools that the node sees and its special claim. Each
  // outcome holds these.
  using View = std::pair<const devices::NodePools*, const SpecialVariant*>;
  std::map<View, std::shared_ptr<const NodeOutcome>> by_view_;
  std::map<std::vector<std::string>, std::shared_ptr<const SpecialVariant>> variants_;
  size_t bytes_ = 0;
  uint64_t searches_ = 0;

  RelevantPools relevant_pools_;
  // Of searches in pools that many nodes see.
  struct Memory {
    model::Devices::PoolsRef pools;
    devices::SearchMemory memory;
  };
  static constexpr size_t kMaxMemories = 8, kMaxRemembered = 8;
  std::vector<Memory> memories_;
};

// The outcomes that were used last, for a pod class.
struct OutcomeCache final : framework::ClassState {
  std::shared_ptr<NodeOutcomes> outcomes;

  // Returns outcomes for `input`: those used last, if they are for the same.
  const std::shared_ptr<NodeOutcomes>& For(const model::Cluster& cluster,
                                           const model::PodClass& pod_class, AllocationInput input,
                                           uint64_t max_steps);
  size_t bytes() const override { return outcomes == nullptr ? 0 : outcomes->bytes(); }
};

}  // namespace berth::scheduler::plugins
