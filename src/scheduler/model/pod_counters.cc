#include "scheduler/model/pod_counters.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash_mixer.h"
#include "base/vectorised.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/model/label_anchors.h"

namespace berth::scheduler::model {

namespace {

// Indexes below are always stored densely: few topology keys have more domains, and 256 bytes are
// less than what else a counter takes.
constexpr size_t kAlwaysDense = 64;
// Of the counts between that and the last one so many, or one in so many, may be other than 0
// before all are stored: one by one they take several times the memory.
constexpr size_t kFewSparse = 16;
constexpr size_t kSparseOneIn = 16;

}  // namespace

void IndexedCounts::AddBeyond(size_t index, int32_t delta) {
  const auto key = static_cast<uint32_t>(index);
  if (const auto found = sparse_.find(key); found != sparse_.end()) {
    found->second += delta;
    if (found->second != 0) return;
    sparse_.erase(found);
    --not_zero_;
    return;
  }
  if (index < kAlwaysDense) {
    dense_.resize(index + 1);
    return Add(index, delta);
  }
  sparse_end_ = std::max(sparse_end_, index + 1);
  const size_t most = std::max(kFewSparse, (sparse_end_ - dense_.size()) / kSparseOneIn);
  if (sparse_.size() < most) {
    if (delta == 0) return;
    sparse_.emplace(key, delta);
    ++not_zero_;
    return;
  }
  dense_.resize(sparse_end_);
  for (const auto& [at, count] : std::exchange(sparse_, {})) dense_[at] = count;
  Add(index, delta);
}

void IndexedCounts::Clear() { *this = {}; }

bool IndexedCounts::AnyPositive() const {
  auto positive = [](int32_t count) { return count > 0; };
  return std::ranges::any_of(dense_, positive) ||
         std::ranges::any_of(sparse_, [](const auto& pair) { return pair.second > 0; });
}

namespace {

BERTH_VECTORISED
int32_t HighestOf(const int32_t* counts, size_t size) {
  int32_t highest = 0;
  for (size_t i = 0; i < size; ++i) highest = std::max(highest, counts[i]);
  return highest;
}

}  // namespace

int32_t IndexedCounts::Highest() const {
  int32_t highest = HighestOf(dense_.data(), dense_.size());
  ForEachOther([&](size_t, int32_t count) { highest = std::max(highest, count); });
  return highest;
}

size_t PodQuery::Hash() const {
  HashMixer mixer((incoming ? 1u : 0u) + (count_terminating ? 2u : 0u));
  for (const PodMatcher& matcher : all_of) matcher.MixInto(mixer);
  return mixer.hash();
}

PodCounter::PodCounter(SymbolTable& symbols, PodQuery query, std::shared_ptr<size_t> dead)
    : symbols_(symbols), query_(std::move(query)), dead_(std::move(dead)) {
  for (const PodMatcher& matcher : query_.all_of) matcher.HoldBy(symbols_);
}

const IndexedCounts& PodCounter::PerDomain(const Topology::Key& key) const {
  auto found = std::ranges::find(sums_, &key, [](const Sum& sum) { return sum.key.get(); });
  CHECK(found != sums_.end());
  return found->per_domain;
}

void PodCounter::ReleaseSums(std::span<const Topology::KeyRef> keys) {
  for (const Topology::KeyRef& key : keys) --std::ranges::find(sums_, key, &Sum::key)->users;
  std::erase_if(sums_, [](const Sum& sum) { return sum.users == 0; });
}

size_t PodCounter::bytes() const {
  size_t bytes = sizeof(*this) + per_node_.bytes() + symbols_.held().size_bytes();
  for (const Sum& sum : sums_) bytes += sizeof(Sum) + sum.per_domain.bytes();
  return bytes;
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
  counter.per_node_.Add(row, delta);
  for (PodCounter::Sum& sum : counter.sums_) {
    const DomainId domain = sum.key->domain_of()[row];
    if (domain.valid()) sum.per_domain.Add(domain.index(), delta);
  }
}

// Calls visit(LabelSetId) once for each label set that `query` may match.
template <typename Visit>
void PodCounters::ForEachCandidate(const PodQuery& query, Visit&& visit) const {
  if (MatchNothing(query.all_of)) return;
  const LabelSetIndex& by_label = labels_.by_label();
  const auto for_each_list = [&](const LabelAnchor& anchor, auto&& visit_list) {
    Symbol previous;
    for (Symbol value : anchor.requirement->values) {
      if (std::exchange(previous, value) != value)
        visit_list(by_label.With({anchor.requirement->key, value}));
    }
  };
  const auto anchor = CheapestAnchor(query.all_of, [&](const LabelAnchor& candidate) {
    size_t sets = 0;
    for_each_list(candidate, [&](auto list) { sets += list.size(); });
    return sets;
  });
  if (!anchor) return labels_.ForEach(visit);
  const std::span<const Symbol> namespaces = anchor->matcher->fixed_namespaces();
  for_each_list(*anchor, [&](std::span<const LabelSetIndex::Posting> list) {
    for (const LabelSetIndex::Posting& posting : list) {
      if (namespaces.empty() || std::ranges::binary_search(namespaces, posting.namespace_))
        visit(posting.set);
    }
  });
}

void PodCounters::Recount(PodCounter& counter) const {
  counter.per_node_.Clear();
  for (PodCounter::Sum& sum : counter.sums_) sum.per_domain.Clear();
  ForEachCandidate(counter.query_, [&](LabelSetId labels) {
    if (!Matches(counter.query_, labels_.Get(labels))) return;
    pods_.ForEachWith(labels, [&](const PodRecord& pod) {
      if (pod.state != PodState::kPending) AddTo(counter, {labels, pod.terminating(), pod.node}, 1);
    });
  });
}

std::shared_ptr<PodCounter> PodCounters::Find(const PodQuery& query, size_t hash) const {
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    auto counter = counters_[at->second].lock();
    if (counter != nullptr && counter->query_ == query) return counter;
  }
  return nullptr;
}

void PodCounters::Register(const std::shared_ptr<PodCounter>& counter, size_t hash) {
  by_hash_.emplace(hash, static_cast<uint32_t>(counters_.size()));
  matches_.Add(counter->query_.all_of);
  counters_.push_back(counter);
}

std::shared_ptr<const PodCounter> PodCounters::Take(const PodQuery& query,
                                                    std::span<const Topology::KeyRef> keys) {
  if (*dead_ > 16 && *dead_ > counters_.size() / 2) DropDead();
  const size_t hash = query.Hash();
  std::shared_ptr<PodCounter> counter = Find(query, hash);
  bool complete = counter != nullptr;
  if (counter == nullptr) {
    counter.reset(new PodCounter(symbols_, query, dead_));
    Register(counter, hash);
  }
  for (const Topology::KeyRef& key : keys) {
    auto sum = std::ranges::find(counter->sums_, key, &PodCounter::Sum::key);
    if (sum == counter->sums_.end()) {
      sum = counter->sums_.insert(sum, {key, 0, {}});
      complete = false;
    }
    ++sum->users;
  }
  if (!complete) Recount(*counter);
  PodCounter* const counted = counter.get();
  const auto use = std::make_shared<Use>(std::move(counter), std::vector(keys.begin(), keys.end()));
  return {use, counted};
}

size_t PodCounters::bytes() const {
  constexpr size_t kEntryBytes = sizeof(counters_[0]) + sizeof(*by_hash_.begin()) + sizeof(void*);
  size_t bytes = counters_.size() * kEntryBytes + matches_.bytes();
  for (const auto& held : counters_) {
    if (const auto counter = held.lock()) bytes += counter->bytes();
  }
  return bytes;
}

void PodCounters::DropDead() {
  const auto before = std::exchange(counters_, {});
  by_hash_.clear();
  matches_.Clear();
  *dead_ = 0;
  for (const auto& held : before) {
    if (const auto counter = held.lock()) Register(counter, counter->query_.Hash());
  }
}

void PodCounters::Count(const CountedPod& pod, int32_t delta) {
  if (counters_.empty()) return;
  const auto matches = [&](uint32_t i) {
    const auto counter = counters_[i].lock();
    return counter != nullptr && Matches(counter->query_, labels_.Get(pod.labels));
  };
  for (uint32_t i : matches_.For(labels_, pod.labels, matches)) {
    if (const auto counter = counters_[i].lock()) AddTo(*counter, pod, delta);
  }
}

void PodCounters::NamespacesChanged() {
  matches_.Reset();
  for (const auto& held : counters_) {
    const auto counter = held.lock();
    if (counter == nullptr) continue;
    const bool concerned =
        std::ranges::any_of(counter->query_.all_of, &PodMatcher::depends_on_namespaces);
    if (concerned) Recount(*counter);
  }
}

const std::vector<uint32_t>& AffinityTerms::TermsOf(const PodClass& pod_class, uint64_t serial,
                                                    const UseKeyFunction& use_key) {
  const size_t i = pod_class.id.index();
  if (i < by_class_.size() && by_class_[i].serial == serial) return by_class_[i].terms;
  if (i >= by_class_.size()) by_class_.resize(i + 1);
  ClassTerms compiled{serial, {}};
  const std::string& namespace_ = pod_class.example.metadata.namespace_;
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
  // Pods of many namespaces share a term that names or selects those that it is about.
  const std::string& about = term.is_about_own_namespace() ? namespace_ : std::string();
  std::string key;
  KeyWriter(key).PutAll(static_cast<uint8_t>(kind), weight, about, term);
  const size_t bytes = key.size();
  const auto [found, added] =
      by_key_.try_emplace(std::move(key), static_cast<uint32_t>(entries_.size()));
  if (added) {
    SymbolHolder symbols(symbols_);
    PodMatcher matcher(term, namespace_, symbols);
    Term compiled{kind, weight, use_key(term.topology_key), {}, 0};
    entries_.push_back({std::move(symbols), std::move(compiled), std::move(matcher), bytes, 0});
    unused_bytes_ += bytes;
    matches_.Add(std::span(&entries_.back().matcher, 1));
  }
  return found->second;
}

void AffinityTerms::RemoveUnused() {
  std::vector<Entry> remaining;
  std::vector<uint32_t> renumbered(entries_.size(), UINT32_MAX);
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].carriers == 0) continue;
    renumbered[i] = static_cast<uint32_t>(remaining.size());
    remaining.push_back(std::move(entries_[i]));
  }
  entries_ = std::move(remaining);
  std::erase_if(by_key_, [&](const auto& entry) { return renumbered[entry.second] == UINT32_MAX; });
  for (auto& [key, i] : by_key_) i = renumbered[i];
  by_class_.clear();
  matches_.Clear();
  for (const Entry& entry : entries_) matches_.Add(std::span(&entry.matcher, 1));
  unused_bytes_ = 0;
}

void AffinityTerms::Add(Entry& entry, NodeRow row, int32_t delta) {
  const bool was_used = entry.carriers != 0;
  entry.carriers += delta;
  if (const bool used = entry.carriers != 0; used != was_used) {
    (was_used ? used_bytes_ : unused_bytes_) -= entry.bytes;
    (used ? used_bytes_ : unused_bytes_) += entry.bytes;
  }
  Term& term = entry.term;
  const DomainId domain = term.key->domain_of()[row.index()];
  if (!domain.valid()) return;
  term.carriers.Add(domain.index(), delta);
  term.in_domains += delta;
}

const std::vector<uint32_t>& AffinityTerms::Matching(LabelSetId labels) const {
  return matches_.For(labels_, labels, [&](uint32_t i) {
    const PodLabels& pod = labels_.Get(labels);
    return entries_[i].matcher.Matches(pod.namespace_, namespaces_.LabelsOf(pod.namespace_),
                                       pod.labels, symbols_);
  });
}

}  // namespace berth::scheduler::model
