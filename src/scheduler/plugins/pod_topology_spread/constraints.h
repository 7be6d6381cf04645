// SpreadConstraints are the topology spread constraints of a pod class, compiled: its own, or the
// defaults of the plugin's arguments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/node_selector.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::plugins {

// A constraint without its selector; the same for all pods of a class.
struct SpreadRule {
  model::Topology::KeyRef key;
  bool is_hostname = false;
  int64_t max_skew = 0;
  int64_t min_domains = 1;
  bool honor_affinity = true;
  bool honor_taints = false;
  api::TopologySpreadConstraint source;

  // What `pods` pods in a domain add to the score of its nodes; lower is better. The weight grows
  // with the number of domains.
  double ScoreOf(int64_t pods, double weight) const {
    return static_cast<double>(pods) * weight + static_cast<double>(max_skew - 1);
  }
  static double WeightFor(size_t domains);
};

// The pods that a constraint counts; the same for all pods of equal labels and owners.
struct SpreadCount {
  std::shared_ptr<const model::PodCounter> counter;  // Null if it counts no pods at all.
  model::LabelMatcher selector;
  bool counts_itself = false;
};

// Maps a score to 0..100; the lowest is the best. Scores are negative only if some maxSkew is,
// which the API does not allow. DIFFERS: kube-scheduler fails then.
int64_t NormalizedSpread(int64_t score, int64_t lowest, int64_t highest);

class SpreadConstraints final : public framework::ClassState {
 public:
  SpreadConstraints(const framework::PodTopologySpreadArgs& args, model::Cluster& cluster,
                    const model::PodClass& pod_class);

  // The rules that exclude nodes (DoNotSchedule), and those that lower scores (ScheduleAnyway).
  const std::vector<SpreadRule>& hard() const { return hard_; }
  const std::vector<SpreadRule>& soft() const { return soft_; }
  // True if a node that lacks one of the keys counts for no soft rule.
  bool requires_all_keys() const { return requires_all_keys_; }

  struct Counts {
    SymbolHolder symbols;                           // Of the selectors.
    std::vector<SpreadCount> hard = {}, soft = {};  // As the rules.
  };
  // Returns null if the rules do not apply to the pod: they are defaults, and nothing owns it.
  const Counts* CountsFor(const model::PodRecord& pod);

  // The present nodes that count for hard()[i], or for soft()[i].
  const model::NodeMask& HardNodes(const framework::Cycle& cycle, size_t i);
  const model::NodeMask& SoftNodes(const framework::Cycle& cycle, size_t i);

 private:
  struct CachedCounts {
    uint64_t labels_serial = 0;
    uint64_t selector_version = 0;
    std::string owner;
    std::unique_ptr<Counts> counts;
  };
  struct Tolerance {
    uint64_t serial = 0;  // Of the taint set; 0 if not known.
    bool tolerated = false;
  };

  void AddRule(const api::TopologySpreadConstraint& constraint);
  // Reports whether every node counts for the rule. `keys` are those of the rules whose keys nodes
  // must have.
  bool EveryNodeCounts(const framework::Cycle& cycle, const SpreadRule& rule,
                       const std::vector<SpreadRule>& keys) const;
  bool Includes(const framework::Cycle& cycle, const SpreadRule& rule, size_t row);
  bool Tolerates(const model::TaintSets& sets, model::TaintSetId id);
  std::unique_ptr<Counts> MakeCounts(const model::PodRecord& pod) const;
  SpreadCount MakeCount(const SpreadRule& rule, const model::PodRecord& pod,
                        const api::Selector* defaults, SymbolHolder& symbols) const;

  model::Cluster& cluster_;
  const model::PodClass& pod_class_;
  SymbolHolder symbols_;
  model::RequiredNodeAffinity affinity_;
  bool are_defaults_ = false;
  bool requires_all_keys_ = true;
  std::vector<SpreadRule> hard_, soft_;

  // Computed when first needed.
  std::vector<model::RowPredicate> hard_nodes_, soft_nodes_;
  std::vector<Tolerance> tolerances_;  // By taint set.
  std::unordered_map<model::LabelSetId, CachedCounts> counts_;
};

}  // namespace berth::scheduler::plugins
