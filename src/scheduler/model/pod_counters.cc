#include "scheduler/model/pod_counters.h"

#include <algorithm>

#include "base/check.h"
#include "scheduler/model/key_writer.h"

namespace berth::scheduler::model {

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
  MatchLists tried;  // Replicas share their labels: match each set once.
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
  for (const auto& held : counters_) {
    auto alive = held.lock();
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
  for (const auto& held : counters_) {
    const auto counter = held.lock();
    if (counter == nullptr) continue;
    const bool concerned =
        std::ranges::any_of(counter->query_.all_of, &PodMatcher::depends_on_namespaces);
    if (concerned) Recount(*counter, for_each_pod);
  }
}

const std::vector<uint32_t>& AffinityTerms::TermsOf(const PodClass& pod_class, uint64_t serial,
                                                    const UseKeyFunction& use_key) {
  const size_t i = pod_class.id.index();
  if (i < by_class_.size() && by_class_[i].serial == serial) return by_class_[i].terms;
  ForgetUncarried();
  if (i >= by_class_.size()) by_class_.resize(i + 1);
  ClassTerms compiled{serial, {}};
  const std::string& namespace_ = pod_class.example->metadata.namespace_;
  auto add = [&](const std::optional<api::PodAffinity>& affinity, Kind required, Kind preferred) {
    if (!affinity) return;
    for (const api::PodAffinityTerm& term : affinity->required) {
      compiled.terms.push_back(Intern(required, 0, term, namespace_, use_key));
    }
    for (const api::WeightedPodAffinityTerm& weighted : affinity->preferred) {
      compiled.terms.push_back(
          Intern(preferred, weighted.limited_weight(), weighted.term, namespace_, use_key));
    }
  };
  const api::Affinity& affinity = *pod_class.spec().affinity;
  add(affinity.pod_affinity, Kind::kRequired, Kind::kPreferred);
  add(affinity.pod_anti_affinity, Kind::kRequiredAnti, Kind::kPreferredAnti);
  by_class_[i] = std::move(compiled);
  return by_class_[i].terms;
}

uint32_t AffinityTerms::Intern(Kind kind, int32_t weight, const api::PodAffinityTerm& term,
                               const std::string& namespace_, const UseKeyFunction& use_key) {
  std::string key;
  KeyWriter(key).PutAll(static_cast<uint8_t>(kind), weight, namespace_, term);
  const auto [found, added] =
      by_key_.try_emplace(std::move(key), static_cast<uint32_t>(entries_.size()));
  if (added) {
    entries_.push_back({{kind, weight, use_key(symbols_.Intern(term.topology_key)), {}, 0},
                        PodMatcher(term, namespace_, symbols_),
                        0});
  }
  return found->second;
}

// Renumbers the terms when most are unused, so that their number stays in proportion to those that
// pods have.
void AffinityTerms::ForgetUncarried() {
  const auto carried = [](const Entry& entry) { return entry.carriers > 0; };
  if (entries_.size() < 64) return;
  if (static_cast<size_t>(std::ranges::count_if(entries_, carried)) > entries_.size() / 2) return;
  std::vector<Entry> remaining;
  std::vector<uint32_t> renumbered(entries_.size(), UINT32_MAX);
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!carried(entries_[i])) continue;
    renumbered[i] = static_cast<uint32_t>(remaining.size());
    remaining.push_back(std::move(entries_[i]));
  }
  entries_ = std::move(remaining);
  std::erase_if(by_key_, [&](const auto& entry) { return renumbered[entry.second] == UINT32_MAX; });
  for (auto& [key, i] : by_key_) i = renumbered[i];
  by_class_.clear();
  matches_.Reset();
}

void AffinityTerms::Add(Entry& entry, NodeRow row, int32_t delta, const Topology& topology) {
  entry.carriers += delta;
  Term& term = entry.term;
  const DomainId domain = topology.key(term.key).domain_of[row.index()];
  if (!domain.valid()) return;
  if (domain.index() >= term.carriers.size()) term.carriers.resize(domain.index() + 1);
  term.carriers[domain.index()] += delta;
  term.in_domains += delta;
}

const std::vector<uint32_t>& AffinityTerms::Matching(LabelSetId labels) const {
  return matches_.For(labels, labels_.serial(labels), entries_.size(), [&](size_t i) {
    const PodLabels& pod = labels_.Get(labels);
    return entries_[i].matcher.Matches(pod.namespace_, namespaces_.LabelsOf(pod.namespace_),
                                       pod.labels, symbols_);
  });
}

}  // namespace berth::scheduler::model
