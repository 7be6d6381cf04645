// AffinityTerms knows the pod (anti-)affinity terms that placed pods carry, and in which topology
// domains the pods that carry each are.
//
// It answers what existing pods have to say about a new one: who would not bear it near, and who
// would like it. Equal terms of many pods are one entry; terms that nobody carries any more are
// forgotten in time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/match_lists.h"
#include "cluster/namespaces.h"
#include "cluster/pod_class.h"
#include "cluster/pod_labels.h"
#include "cluster/pod_matcher.h"
#include "cluster/topology.h"

namespace berth {

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

}  // namespace berth
