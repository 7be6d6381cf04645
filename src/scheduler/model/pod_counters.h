// Counters of placed pods, per node and topology domain: PodCounters for selectors, AffinityTerms
// for the affinity terms that placed pods have.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/model/labels.h"
#include "scheduler/model/match_lists.h"
#include "scheduler/model/pod_class.h"
#include "scheduler/model/pod_labels.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::model {

struct PodQuery {
  std::vector<PodMatcher> all_of;  // A pod must match each.
  bool incoming = false;           // Match like the terms of the pod to be placed.
  bool count_terminating = true;
  friend bool operator==(const PodQuery&, const PodQuery&) = default;
  size_t Hash() const;
};

// IndexedCounts are counts by a dense index (a row or a domain), most of which may be 0: while few
// beyond a small range are not, those are stored one by one, so that the counts of an application
// are as large as it is, not as the cluster.
class IndexedCounts {
 public:
  int32_t operator[](size_t index) const {
    if (index < dense_.size()) return dense_[index];
    if (sparse_.empty()) return 0;
    const auto found = sparse_.find(static_cast<uint32_t>(index));
    return found == sparse_.end() ? 0 : found->second;
  }
  void Add(size_t index, int32_t delta) {
    if (index >= dense_.size()) return AddBeyond(index, delta);
    int32_t& count = dense_[index];
    const bool was = count != 0;
    count += delta;
    not_zero_ += size_t{count != 0} - size_t{was};
  }
  void Clear();

  // How many counts are not 0.
  size_t not_zero() const { return not_zero_; }

  // Calls visit(index, count) for all that are not 0, and others, in no particular order.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (size_t i = 0; i < dense_.size(); ++i) visit(i, dense_[i]);
    ForEachOther(visit);
  }
  // The same for those that are not 0 alone.
  template <typename Visit>
  void ForEachNotZero(Visit&& visit) const {
    size_t left = not_zero_;
    for (const auto& [index, count] : sparse_) {
      visit(size_t{index}, count);
      --left;
    }
    for (size_t i = 0; left > 0; ++i) {
      if (dense_[i] == 0) continue;
      visit(i, dense_[i]);
      --left;
    }
  }
  bool AnyPositive() const;
  int32_t Highest() const;  // At least 0.

  // The counts below its size; those beyond are 0 if there are no others.
  std::span<const int32_t> dense() const { return dense_; }
  bool has_others() const { return !sparse_.empty(); }
  // Calls visit(index, count) for those beyond that are not 0.
  template <typename Visit>
  void ForEachOther(Visit&& visit) const {
    for (const auto& [index, count] : sparse_) visit(size_t{index}, count);
  }
  size_t bytes() const {
    constexpr size_t kPerBucket = sizeof(std::pair<uint32_t, int32_t>) + 1;
    return dense_.capacity() * sizeof(int32_t) + sparse_.bucket_count() * kPerBucket;
  }

 private:
  void AddBeyond(size_t index, int32_t delta);

  std::vector<int32_t> dense_;
  boost::unordered_flat_map<uint32_t, int32_t> sparse_;  // None is 0 or in dense_.
  size_t sparse_end_ = 0;                                // All in it are below.
  size_t not_zero_ = 0;
};

// What counters read of a pod.
struct CountedPod {
  LabelSetId labels;
  bool terminating = false;
  NodeRow node;
};

class PodCounter {
 public:
  ~PodCounter() { ++*dead_; }
  PodCounter(const PodCounter&) = delete;
  PodCounter& operator=(const PodCounter&) = delete;

  // By row.
  const IndexedCounts& per_node() const { return per_node_; }
  // By domain of `key`, which must be one of the keys passed to Take.
  const IndexedCounts& PerDomain(const Topology::Key& key) const;
  size_t bytes() const;

 private:
  friend class PodCounters;
  struct Sum {
    Topology::KeyRef key;
    size_t users = 0;
    IndexedCounts per_domain;
  };
  PodCounter(SymbolTable& symbols, PodQuery query, std::shared_ptr<size_t> dead);
  void ReleaseSums(std::span<const Topology::KeyRef> keys);

  SymbolHolder symbols_;  // Of the query.
  const PodQuery query_;
  const std::shared_ptr<size_t> dead_;  // How many counters are: see PodCounters.
  IndexedCounts per_node_;
  std::vector<Sum> sums_;
};

// PodCounters counts, for each query of a rule ("pods of namespace a with app=web"), the matching
// pods per node and per topology domain, and updates the counts as pods and nodes change.
//
// Equal queries share a counter. A new counter looks once at the label sets that it may match
// (those with a label that it requires, or all), and at the pods of those that it does match; from
// then on a pod that is placed or removed costs the counters that match it, and reading a count is
// an array access.
class PodCounters {
 public:
  PodCounters(SymbolTable& symbols, const PodTable& pods, const PodLabelsTable& labels,
              const Namespaces& namespaces)
      : symbols_(symbols), pods_(pods), labels_(labels), namespaces_(namespaces) {}

  // Returns the counter of `query`, with sums for `keys`; both are updated while the returned
  // reference, or a copy, exists.
  std::shared_ptr<const PodCounter> Take(const PodQuery& query,
                                         std::span<const Topology::KeyRef> keys);
  // The counters in use.
  size_t size() const { return counters_.size() - *dead_; }
  // Their approximate size. O(counters).
  size_t bytes() const;

  // A pod was placed (`delta` 1) or removed (-1).
  void Count(const CountedPod& pod, int32_t delta);

  // Namespaces have changed: recounts the counters that read their labels.
  void NamespacesChanged();

 private:
  // What one caller of Take uses.
  struct Use {
    std::shared_ptr<PodCounter> counter;
    std::vector<Topology::KeyRef> keys;
    ~Use() { counter->ReleaseSums(keys); }
  };

  std::shared_ptr<PodCounter> Find(const PodQuery& query, size_t hash) const;
  void Register(const std::shared_ptr<PodCounter>& counter, size_t hash);
  bool Matches(const PodQuery& query, const PodLabels& pod) const;
  void AddTo(PodCounter& counter, const CountedPod& pod, int32_t delta) const;
  void Recount(PodCounter& counter) const;
  template <typename Visit>
  void ForEachCandidate(const PodQuery& query, Visit&& visit) const;
  void DropDead();

  SymbolTable& symbols_;
  const PodTable& pods_;
  const PodLabelsTable& labels_;
  const Namespaces& namespaces_;
  std::vector<std::weak_ptr<PodCounter>> counters_;
  const std::shared_ptr<size_t> dead_ = std::make_shared<size_t>(0);  // Of counters_.
  std::unordered_multimap<size_t, uint32_t> by_hash_;                 // By Hash of the query.
  MatchLists matches_;
};

// AffinityTerms holds the pod (anti-)affinity terms of placed pods, and in which topology domains
// the pods of each are.
//
// It determines which terms of existing pods match a new one: those that repel it, and those that
// prefer it. Equal terms of many pods are one entry; terms that no pod has any more are removed
// when they take more memory than the others (see Trim).
class AffinityTerms {
 public:
  enum class Kind : uint8_t { kRequired, kRequiredAnti, kPreferred, kPreferredAnti };

  struct Term {
    Kind kind = Kind::kRequired;
    int32_t weight = 0;  // Of preferred terms.
    Topology::KeyRef key;
    IndexedCounts carriers;  // Pods that have it, by domain of `key`.
    int64_t in_domains = 0;  // The sum of `carriers`.
  };

  AffinityTerms(SymbolTable& symbols, const PodLabelsTable& labels, const Namespaces& namespaces)
      : symbols_(symbols), labels_(labels), namespaces_(namespaces) {}

  // A pod of the class was placed on `row` or removed from it; `serial` distinguishes the class
  // from others of the same id. `use_key` returns the topology key of a label.
  template <typename UseKey>
  void Count(const PodClass& pod_class, uint64_t serial, NodeRow row, int32_t delta,
             UseKey&& use_key) {
    if (!pod_class.has_pod_affinity) return;
    for (uint32_t i : TermsOf(pod_class, serial, use_key)) Add(entries_[i], row, delta);
  }

  // Removes the terms that no pod has; the others are renumbered. Trim does so if those are large
  // together.
  void RemoveUnused();
  void Trim() {
    if (unused_bytes_ > kMaxUnusedBytes && unused_bytes_ > used_bytes_) RemoveUnused();
  }
  // The number of terms, with those that no pod has.
  size_t size() const { return entries_.size(); }

  // Returns the terms that match pods with these labels, whether or not any pod has them now.
  const std::vector<uint32_t>& Matching(LabelSetId labels) const;
  const Term& term(uint32_t i) const { return entries_[i].term; }

  void NamespacesChanged() { matches_.Reset(); }

 private:
  // Terms that no pod has may take as much memory, counted as the bytes of their keys, before they
  // are removed. A removal is O(all terms), so that there must be some reason for it.
  static constexpr size_t kMaxUnusedBytes = 64 << 10;

  struct Entry {
    SymbolHolder symbols;  // Of the matcher.
    Term term;
    PodMatcher matcher;
    size_t bytes = 0;      // Of its key.
    int64_t carriers = 0;  // In all, including those on nodes without the topology key.
  };
  struct ClassTerms {
    uint64_t serial = 0;
    std::vector<uint32_t> terms;
  };
  using UseKeyFunction = std::function<Topology::KeyRef(std::string_view)>;

  const std::vector<uint32_t>& TermsOf(const PodClass& pod_class, uint64_t serial,
                                       const UseKeyFunction& use_key);
  uint32_t Intern(Kind kind, int32_t weight, const api::PodAffinityTerm& term,
                  const std::string& namespace_, const UseKeyFunction& use_key);
  void Add(Entry& entry, NodeRow row, int32_t delta);

  SymbolTable& symbols_;
  const PodLabelsTable& labels_;
  const Namespaces& namespaces_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> by_key_;
  std::vector<ClassTerms> by_class_;
  size_t used_bytes_ = 0, unused_bytes_ = 0;  // Of the terms that some pod has, and of the others.
  mutable MatchLists matches_;
};

}  // namespace berth::scheduler::model
