// Anchors: a selector that requires app=web can only match label sets with that label, and the
// other way round. Looked up by it, matchers and label sets find each other without trying all.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "scheduler/model/labels.h"
#include "scheduler/model/pod_labels.h"

namespace berth::scheduler::model {

// One requirement of a conjunction of matchers, by whose values it may be looked up.
struct LabelAnchor {
  const PodMatcher* matcher = nullptr;
  const LabelRequirement* requirement = nullptr;  // In, of few values; one of `matcher`.
};

// Reports whether no pod matches each of `all_of`, whatever its labels.
bool MatchNothing(std::span<const PodMatcher> all_of);

// A requirement with more values is no anchor: it would be listed under each of them.
inline constexpr size_t kMaxAnchorValues = 16;

// Returns the anchor of `all_of` for which cost(anchor) is lowest, the first one of equals; nullopt
// if there is none.
template <typename Cost>
std::optional<LabelAnchor> CheapestAnchor(std::span<const PodMatcher> all_of, Cost&& cost) {
  std::optional<LabelAnchor> cheapest;
  size_t lowest = SIZE_MAX;
  for (const PodMatcher& matcher : all_of) {
    for (const LabelRequirement& requirement : matcher.labels().requirements()) {
      if (requirement.op != api::SelectorOp::kIn) continue;
      if (requirement.values.size() > kMaxAnchorValues) continue;
      const LabelAnchor anchor{&matcher, &requirement};
      if (const size_t price = cost(anchor); price < lowest) {
        lowest = price;
        cheapest = anchor;
      }
    }
  }
  return cheapest;
}

// MatcherIndex finds the matchers that may match a label set.
//
// Each is listed under the namespaces and label values of one anchor, that with the shortest lists:
// what all matchers require does not tell them apart. Those without an anchor are listed by
// namespace, those that also match any namespace in one list.
class MatcherIndex {
 public:
  // Adds `entry`, which matches the pods that each of `all_of` matches. Entries must be added in
  // ascending order.
  void Add(uint32_t entry, std::span<const PodMatcher> all_of);
  void Clear();

  // Replaces `candidates` by the entries from `first` on that may match `pod`, in ascending order.
  // O(labels of the pod + candidates * log(candidates)).
  void FindCandidates(const PodLabels& pod, uint32_t first,
                      std::vector<uint32_t>& candidates) const;

  // Approximately.
  size_t bytes() const;

 private:
  // An invalid namespace or label stands for any.
  struct Place {
    Symbol namespace_;
    Label label;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const;
  };

  static std::vector<Place> PlacesOf(const PodMatcher& matcher,
                                     const LabelRequirement* requirement);
  size_t LongestOf(std::span<const Place> places) const;

  std::unordered_map<Place, std::vector<uint32_t>, PlaceHash> lists_;  // Ascending.
  size_t listed_ = 0;                                                  // In all lists.
  bool has_any_namespace_ = false;                                     // In any place.
};

}  // namespace berth::scheduler::model
