#include "cluster/pod_counters.h"

#include <algorithm>

#include "base/check.h"

namespace berth {

std::span<const int32_t> PodCounter::PerDomain(TopologyKeyId key) const {
  auto found = std::ranges::find(sums_, key, &Sum::key);
  CHECK(found != sums_.end());
  return found->per_domain;
}

bool PodCounters::Matches(const PodQuery& query, const PodLabels& pod) const {
  const LabelSpan namespace_labels = namespaces_.LabelsOf(pod.namespace_);
  return std::ranges::all_of(query.all_of, [&](const PodMatcher& matcher) {
    return query.incoming
               ? matcher.MatchesForIncoming(pod.namespace_, namespace_labels, pod.labels, symbols_)
               : matcher.Matches(pod.namespace_, namespace_labels, pod.labels, symbols_);
  });
}

void PodCounters::AddTo(PodCounter& counter, const CountedPod& pod, int32_t delta) const {
  if (pod.terminating && !counter.query_.count_terminating) return;
  const size_t row = pod.node.index();
  if (row >= counter.per_node_.size()) counter.per_node_.resize(row + 1);
  counter.per_node_[row] += delta;
  for (PodCounter::Sum& sum : counter.sums_) {
    const DomainId domain = topology_.key(sum.key).domain_of[row];
    if (!domain.valid()) continue;
    if (domain.index() >= sum.per_domain.size()) sum.per_domain.resize(domain.index() + 1);
    sum.per_domain[domain.index()] += delta;
  }
}

void PodCounters::Recount(PodCounter& counter, const ForEachPod& for_each_pod) {
  counter.per_node_.assign(counter.per_node_.size(), 0);
  for (PodCounter::Sum& sum : counter.sums_) sum.per_domain.assign(sum.per_domain.size(), 0);
  MatchLists tried;  // Replicas share their labels: try each set once.
  for_each_pod([&](const CountedPod& pod) {
    const auto matches = [&](size_t) { return Matches(counter.query_, labels_.Get(pod.labels)); };
    if (!tried.For(pod.labels, labels_.serial(pod.labels), 1, matches).empty())
      AddTo(counter, pod, 1);
  });
}

std::shared_ptr<const PodCounter> PodCounters::Take(const PodQuery& query,
                                                    std::span<const TopologyKeyId> keys,
                                                    const ForEachPod& for_each_pod) {
  std::shared_ptr<PodCounter> counter;
  size_t dead = 0;
  for (const auto& kept : counters_) {
    auto alive = kept.lock();
    dead += alive == nullptr;
    if (alive != nullptr && alive->query_ == query) counter = std::move(alive);
  }
  if (dead > 16 && dead > counters_.size() / 2) DropDead();
  bool complete = counter != nullptr;
  if (counter == nullptr) {
    counter = std::make_shared<PodCounter>();
    counter->query_ = query;
    counters_.push_back(counter);
  }
  for (TopologyKeyId key : keys) {
    if (std::ranges::count(counter->sums_, key, &PodCounter::Sum::key) > 0) continue;
    counter->sums_.push_back({key, {}});
    complete = false;
  }
  if (!complete) Recount(*counter, for_each_pod);
  return counter;
}

void PodCounters::DropDead() {
  std::erase_if(counters_, [](const auto& counter) { return counter.expired(); });
  matches_.Reset();
}

void PodCounters::Count(const CountedPod& pod, int32_t delta) {
  if (counters_.empty()) return;
  const auto matches = [&](size_t i) {
    const auto counter = counters_[i].lock();
    return counter != nullptr && Matches(counter->query_, labels_.Get(pod.labels));
  };
  for (uint32_t i :
       matches_.For(pod.labels, labels_.serial(pod.labels), counters_.size(), matches)) {
    if (const auto counter = counters_[i].lock()) AddTo(*counter, pod, delta);
  }
}

void PodCounters::NamespacesChanged(const ForEachPod& for_each_pod) {
  matches_.Reset();
  for (const auto& kept : counters_) {
    const auto counter = kept.lock();
    if (counter == nullptr) continue;
    const bool concerned =
        std::ranges::any_of(counter->query_.all_of, &PodMatcher::depends_on_namespaces);
    if (concerned) Recount(*counter, for_each_pod);
  }
}

}  // namespace berth
