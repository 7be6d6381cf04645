// Counters of placed pods, per node and topology domain: PodCounters for selectors, AffinityTerms
// for the affinity terms that placed pods have.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/model/labels.h"
#include "scheduler/model/pod_class.h"
#include "scheduler/model/pod_labels.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::model {

struct PodQuery {
  std::vector<PodMatcher> all_of;  // A pod must match each.
  bool incoming = false;           // Match like the terms of the pod to be placed.
  bool count_terminating = true;
  friend bool operator==(const PodQuery&, const PodQuery&) = default;
};

// What counters read of a pod.
struct CountedPod {
  LabelSetId labels;
  bool terminating = false;
  NodeRow node;
};

class PodCounter {
 public:
  // By row; rows beyond the end count 0.
  std::span<const int32_t> per_node() const { return per_node_; }
  int32_t OnNode(size_t row) const { return row < per_node_.size() ? per_node_[row] : 0; }
  // By domain of `key`, which must be one of the keys passed to Take; domains beyond the end count
  // 0.
  std::span<const int32_t> PerDomain(TopologyKeyId key) const;

 private:
  friend class PodCounters;
  struct Sum {
    TopologyKeyId key;
    std::vector<int32_t> per_domain;
  };
  PodQuery query_;
  std::vector<int32_t> per_node_;
  std::vector<Sum> sums_;
};

// PodCounters counts, for each query of a rule ("pods of namespace a with app=web"), the matching
// pods per node and per topology domain, and updates the counts as pods and nodes change.
//
// Equal queries share a counter. A new counter iterates over all pods once; from then on a pod that
// is placed or removed costs the counters that match it, and reading a count is an array access.
class PodCounters {
 public:
  PodCounters(const SymbolTable& symbols, const PodLabelsTable& labels,
              const Namespaces& namespaces, const Topology& topology)
      : symbols_(symbols), labels_(labels), namespaces_(namespaces), topology_(topology) {}

  using ForEachPod = std::function<void(const std::function<void(const CountedPod&)>&)>;

  // Returns the counter of `query`, with sums for `keys`; it is updated while it is referenced.
  // `for_each_pod` iterates over all placed pods.
  std::shared_ptr<const PodCounter> Take(const PodQuery& query, std::span<const TopologyKeyId> keys,
                                         const ForEachPod& for_each_pod);

  // A pod was placed (`delta` 1) or removed (-1).
  void Count(const CountedPod& pod, int32_t delta);

  // Namespaces have changed: recounts the counters that read their labels.
  void NamespacesChanged(const ForEachPod& for_each_pod);

 private:
  bool Matches(const PodQuery& query, const PodLabels& pod) const;
  void AddTo(PodCounter& counter, const CountedPod& pod, int32_t delta) const;
  void Recount(PodCounter& counter, const ForEachPod& for_each_pod);
  void DropDead();

  const SymbolTable& symbols_;
  const PodLabelsTable& labels_;
  const Namespaces& namespaces_;
  const Topology& topology_;
  std::vector<std::weak_ptr<PodCounter>> counters_;
  MatchLists matches_;
};

// AffinityTerms holds the pod (anti-)affinity terms of placed pods, and in which topology domains
// the pods of each are.
//
// It determines which terms of existing pods match a new one: those that repel it, and those that
// prefer it. Equal terms of many pods are one entry; terms that no pod has any more are removed
// eventually.
class AffinityTerms {
 public:
  enum class Kind : uint8_t { kRequired, kRequiredAnti, kPreferred, kPreferredAnti };

  struct Term {
    Kind kind = Kind::kRequired;
    int32_t weight = 0;  // Of preferred terms.
    TopologyKeyId key;
    std::vector<int32_t>
        carriers;  // Pods that have it, by domain of `key`; domains beyond the end have none.
    int64_t in_domains = 0;  // The sum of `carriers`.
  };

  AffinityTerms(SymbolTable& symbols, const PodLabelsTable& labels, const Namespaces& namespaces)
      : symbols_(symbols), labels_(labels), namespaces_(namespaces) {}

  // A pod of the class was placed on `row` or removed from it; `serial` distinguishes the class
  // from others of the same id. `use_key` registers a label as a topology key of `topology`.
  template <typename UseKey>
  void Count(const PodClass& pod_class, uint64_t serial, NodeRow row, int32_t delta,
             const Topology& topology, UseKey&& use_key) {
    if (!pod_class.has_pod_affinity) return;
    for (uint32_t i : TermsOf(pod_class, serial, use_key)) Add(entries_[i], row, delta, topology);
  }

  // Returns the terms that match pods with these labels, whether or not any pod has them now.
  const std::vector<uint32_t>& Matching(LabelSetId labels) const;
  const Term& term(uint32_t i) const { return entries_[i].term; }

  void NamespacesChanged() { matches_.Reset(); }

 private:
  struct Entry {
    Term term;
    PodMatcher matcher;
    int64_t carriers = 0;  // In all, including those on nodes without the topology key.
  };
  struct ClassTerms {
    uint64_t serial = 0;
    std::vector<uint32_t> terms;
  };
  using UseKeyFunction = std::function<TopologyKeyId(Symbol)>;

  const std::vector<uint32_t>& TermsOf(const PodClass& pod_class, uint64_t serial,
                                       const UseKeyFunction& use_key);
  uint32_t Intern(Kind kind, int32_t weight, const api::PodAffinityTerm& term,
                  const std::string& namespace_, const UseKeyFunction& use_key);
  void ForgetUncarried();
  static void Add(Entry& entry, NodeRow row, int32_t delta, const Topology& topology);

  SymbolTable& symbols_;
  const PodLabelsTable& labels_;
  const Namespaces& namespaces_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> by_key_;
  std::vector<ClassTerms> by_class_;
  mutable MatchLists matches_;
};

}  // namespace berth::scheduler::model
