#include "scheduler/model/label_anchors.h"

#include <algorithm>

#include "base/hash_mixer.h"

namespace berth::scheduler::model {

bool MatchNothing(std::span<const PodMatcher> all_of) {
  return std::ranges::any_of(all_of,
                             [](const PodMatcher& matcher) { return matcher.labels().nothing(); });
}

size_t MatcherIndex::PlaceHash::operator()(const Place& place) const {
  HashMixer mixer(place.namespace_.value);
  mixer.Add(place.label.key.value);
  mixer.Add(place.label.value.value);
  return mixer.hash();
}

// `requirement` is null if there is no anchor.
std::vector<MatcherIndex::Place> MatcherIndex::PlacesOf(const PodMatcher& matcher,
                                                        const LabelRequirement* requirement) {
  // More places than that cost more memory than the matcher itself.
  constexpr size_t kMaxPlaces = kMaxAnchorValues;
  std::vector<Label> labels;
  if (requirement == nullptr) {
    labels.emplace_back();
  } else {
    for (Symbol value : requirement->values) labels.push_back({requirement->key, value});
  }
  static constexpr Symbol kAny[1] = {};
  std::span<const Symbol> namespaces = matcher.fixed_namespaces();
  if (namespaces.empty() || namespaces.size() * labels.size() > kMaxPlaces) namespaces = kAny;
  std::vector<Place> places;
  for (Symbol namespace_ : namespaces) {
    for (const Label& label : labels) places.push_back({namespace_, label});
  }
  return places;
}

size_t MatcherIndex::LongestOf(std::span<const Place> places) const {
  size_t longest = 0;
  for (const Place& place : places) {
    if (const auto found = lists_.find(place); found != lists_.end())
      longest = std::max(longest, found->second.size());
  }
  return longest;
}

void MatcherIndex::Add(uint32_t entry, std::span<const PodMatcher> all_of) {
  if (MatchNothing(all_of)) return;  // Never a candidate.
  const auto anchor = CheapestAnchor(all_of, [&](const LabelAnchor& candidate) {
    return LongestOf(PlacesOf(*candidate.matcher, candidate.requirement));
  });
  std::vector<Place> places(1);
  if (anchor) {
    places = PlacesOf(*anchor->matcher, anchor->requirement);
  } else if (!all_of.empty()) {
    places = PlacesOf(all_of.front(), nullptr);
  }
  for (const Place& place : places) {
    std::vector<uint32_t>& list = lists_[place];
    if (!list.empty() && list.back() == entry) continue;  // A namespace may be listed twice.
    list.push_back(entry);
    ++listed_;
    has_any_namespace_ |= !place.namespace_.valid();
  }
}

void MatcherIndex::Clear() { *this = MatcherIndex(); }

void MatcherIndex::FindCandidates(const PodLabels& pod, uint32_t first,
                                  std::vector<uint32_t>& candidates) const {
  candidates.clear();
  const auto look_up = [&](const Place& place) {
    const auto found = lists_.find(place);
    if (found == lists_.end()) return;
    const std::vector<uint32_t>& list = found->second;
    candidates.insert(candidates.end(), std::ranges::lower_bound(list, first), list.end());
  };
  const auto look_up_all = [&](Symbol namespace_) {
    for (const Label& label : pod.labels) look_up({namespace_, label});
    look_up({namespace_, {}});
  };
  look_up_all(pod.namespace_);
  if (has_any_namespace_) look_up_all({});
  // An entry's places differ in the namespace or in the value of one key: a pod is in one of them.
  std::ranges::sort(candidates);
}

size_t MatcherIndex::bytes() const {
  constexpr size_t kNodeBytes = sizeof(Place) + sizeof(std::vector<uint32_t>) + 4 * sizeof(void*);
  return lists_.size() * kNodeBytes + listed_ * sizeof(uint32_t);
}

}  // namespace berth::scheduler::model
