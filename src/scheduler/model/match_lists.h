// MatchLists remembers, for each label set, which entries of a growing list match it, so that each
// pair is evaluated once at most.
//
// An entry is a conjunction of matchers and a function of the caller; entries are only added at the
// end, or removed all at once. A new label set is tried with the entries that may match it
// (MatcherIndex), however many others there are. The lists start over when they have become too
// large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/model/ids.h"
#include "scheduler/model/label_anchors.h"
#include "scheduler/model/pod_labels.h"

namespace berth::scheduler::model {

class MatchLists {
 public:
  // Adds an entry, with the next index. It must match no pod that one of `all_of` does not match.
  void Add(std::span<const PodMatcher> all_of) { index_.Add(entries_++, all_of); }
  // Forgets which entries match, because that may have changed.
  void Reset() {
    lists_ = std::vector<List>();
    matches_ = 0;
  }
  // Removes the entries, too.
  void Clear() {
    Reset();
    index_.Clear();
    entries_ = 0;
  }

  // Returns the entries for which matches(entry) is true for the labels `id`, in ascending order.
  template <typename Matches>
  const std::vector<uint32_t>& For(const PodLabelsTable& labels, LabelSetId id, Matches&& matches) {
    if (matches_ > kMaxMatches) Reset();
    if (id.index() >= lists_.size()) lists_.resize(id.index() + 1);
    List& list = lists_[id.index()];
    if (const uint64_t serial = labels.serial(id); list.serial != serial) {
      matches_ -= list.matching.size();
      list = {serial, 0, {}};
    }
    if (list.tried < entries_) TryOthers(list, labels.Get(id), matches);
    return list.matching;
  }

  // Of the entries, approximately.
  size_t bytes() const { return index_.bytes(); }

 private:
  // 32 MiB of lists: as many as a thousand entries that match each of eight thousand label sets.
  static constexpr size_t kMaxMatches = size_t{8} << 20;
  // To try as many entries costs no more than to look up which ones to try.
  static constexpr uint32_t kFew = 4;

  struct List {
    uint64_t serial = 0;  // Of the labels that had this id.
    uint32_t tried = 0;   // The first entries.
    std::vector<uint32_t> matching;
  };

  template <typename Matches>
  void TryOthers(List& list, const PodLabels& pod, Matches&& matches) {
    const auto attempt = [&](uint32_t entry) {
      if (!matches(entry)) return;
      list.matching.push_back(entry);
      ++matches_;
    };
    if (entries_ - list.tried <= kFew) {
      for (uint32_t entry = list.tried; entry < entries_; ++entry) attempt(entry);
    } else {
      index_.FindCandidates(pod, list.tried, candidates_);
      for (uint32_t entry : candidates_) attempt(entry);
    }
    list.tried = entries_;
  }

  MatcherIndex index_;
  uint32_t entries_ = 0;
  std::vector<List> lists_;           // By label set.
  size_t matches_ = 0;                // In all lists.
  std::vector<uint32_t> candidates_;  // Used again, to allocate less.
};

}  // namespace berth::scheduler::model
