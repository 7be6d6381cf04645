// PodCounters counts, for each question that rules have asked ("pods of namespace a with app=web"),
// the matching pods per node and per topology domain, and keeps the counts current as pods and
// nodes come, change and go.
//
// A question is asked by taking a counter; equal questions share one. Taking a new one walks all
// pods once; from then on a pod that comes or goes costs the counters that match it, and reading a
// count costs nothing.
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
  bool incoming = false;           // Whether they match as the terms of the pod to be placed do.
  bool count_terminating = true;
  friend bool operator==(const PodQuery&, const PodQuery&) = default;
};

// A pod as counters see it.
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
  // By domain of `key`, which must have been asked for when the counter was taken; domains beyond
  // the end count 0.
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

class PodCounters {
 public:
  PodCounters(const SymbolTable& symbols, const PodLabelsTable& labels,
              const Namespaces& namespaces, const Topology& topology)
      : symbols_(symbols), labels_(labels), namespaces_(namespaces), topology_(topology) {}

  using ForEachPod = std::function<void(const std::function<void(const CountedPod&)>&)>;

  // The counter of `query`, with sums for `keys`; alive while anyone holds it. `for_each_pod` walks
  // all placed pods.
  std::shared_ptr<const PodCounter> Take(const PodQuery& query, std::span<const TopologyKeyId> keys,
                                         const ForEachPod& for_each_pod);

  // A pod has been placed (`delta` 1) or taken away (-1).
  void Count(const CountedPod& pod, int32_t delta);

  // Namespaces have changed: counters that look at their labels start afresh.
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

// AffinityTerms knows the pod (anti-)affinity terms that placed pods carry, and in which topology
// domains the pods that carry each are.
//
// It answers what existing pods have to say about a new one: who would not bear it near, and who
// would like it. Equal terms of many pods are one entry; terms that nobody carries any more are
// forgotten in time.
class AffinityTerms {
 public:
  enum class Kind : uint8_t { kRequired, kRequiredAnti, kPreferred, kPreferredAnti };

  struct Term {
    Kind kind = Kind::kRequired;
    int32_t weight = 0;  // Of preferred terms.
    TopologyKeyId key;
    std::vector<int32_t>
        carriers;  // Pods that carry it, by domain of `key`; domains beyond the end have none.
    int64_t in_domains = 0;  // The sum of `carriers`.
  };

  AffinityTerms(SymbolTable& symbols, const PodLabelsTable& labels, const Namespaces& namespaces)
      : symbols_(symbols), labels_(labels), namespaces_(namespaces) {}

  // A pod of the class, which `serial` tells from others of the same id, was placed on or taken
  // from `row`. `use_key` brings a label into use as a topology key; `topology` is where it then
  // is.
  template <typename UseKey>
  void Count(const PodClass& pod_class, uint64_t serial, NodeRow row, int32_t delta,
             const Topology& topology, UseKey&& use_key) {
    if (!pod_class.has_pod_affinity) return;
    for (uint32_t i : TermsOf(pod_class, serial, use_key)) Add(entries_[i], row, delta, topology);
  }

  // The terms that mean pods with these labels, whether or not any pod carries them now.
  const std::vector<uint32_t>& Matching(LabelSetId labels) const;
  const Term& term(uint32_t i) const { return entries_[i].term; }

  void NamespacesChanged() { matches_.Reset(); }

 private:
  struct Entry {
    Term term;
    PodMatcher matcher;
    int64_t carriers = 0;  // In all, on nodes without the topology key too.
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
