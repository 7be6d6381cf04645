// PodsByLabels links the pods of each label set: a list through an array, so that a pod is added
// and removed in O(1).
#pragma once

#include <vector>

#include "scheduler/model/ids.h"

namespace berth::scheduler::model {

class PodsByLabels {
 public:
  // `pod` must be in no list.
  void Add(PodId pod, LabelSetId labels) {
    if (labels.index() >= first_.size()) first_.resize(labels.index() + 1);
    if (pod.index() >= links_.size()) links_.resize(pod.index() + 1);
    PodId& first = first_[labels.index()];
    links_[pod.index()] = {{}, first};
    if (first.valid()) links_[first.index()].previous = pod;
    first = pod;
  }

  // `pod` must be in the list of `labels`.
  void Remove(PodId pod, LabelSetId labels) {
    const auto [previous, next] = links_[pod.index()];
    (previous.valid() ? links_[previous.index()].next : first_[labels.index()]) = next;
    if (next.valid()) links_[next.index()].previous = previous;
    links_[pod.index()] = {};
  }

  // Calls visit(PodId) for each pod with these labels, in no particular order.
  template <typename Visit>
  void ForEach(LabelSetId labels, Visit&& visit) const {
    if (labels.index() >= first_.size()) return;
    for (PodId pod = first_[labels.index()]; pod.valid(); pod = links_[pod.index()].next)
      visit(pod);
  }

 private:
  struct Links {
    PodId previous, next;
  };
  std::vector<PodId> first_;  // By label set.
  std::vector<Links> links_;  // By pod.
};

}  // namespace berth::scheduler::model
