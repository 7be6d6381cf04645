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
#include <vector>

#include "cluster/match_lists.h"
#include "cluster/namespaces.h"
#include "cluster/pod_labels.h"
#include "cluster/pod_matcher.h"
#include "cluster/topology.h"

namespace berth {

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

}  // namespace berth
