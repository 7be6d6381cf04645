#include "cluster/affinity_terms.h"

#include <algorithm>

#include "cluster/key_writer.h"

namespace berth {

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
          Intern(preferred, weighted.weight, weighted.term, namespace_, use_key));
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

// Renumbers the terms when most are dead weight, so that their number stays in proportion to what
// pods carry.
void AffinityTerms::ForgetUncarried() {
  const auto carried = [](const Entry& entry) { return entry.carriers > 0; };
  if (entries_.size() < 64) return;
  if (static_cast<size_t>(std::ranges::count_if(entries_, carried)) > entries_.size() / 2) return;
  std::vector<Entry> kept;
  std::vector<uint32_t> renumbered(entries_.size(), UINT32_MAX);
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!carried(entries_[i])) continue;
    renumbered[i] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(entries_[i]));
  }
  entries_ = std::move(kept);
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

}  // namespace berth
