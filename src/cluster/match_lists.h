// MatchLists remembers, for each set of pod labels, which of a growing list of things match it, so
// that each pair is tried once.
//
// `Thing` ids are indices that only grow; Reset forgets everything when they are renumbered or when
// what they match may have changed.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/pod_labels.h"

namespace berth {

class MatchLists {
 public:
  void Reset() { ++epoch_; }

  // The indices below `count` for which matches(index) holds for the labels `id`, in rising order.
  template <typename Matches>
  const std::vector<uint32_t>& For(LabelSetId id, uint64_t serial, size_t count,
                                   Matches&& matches) {
    if (id.index() >= lists_.size()) lists_.resize(id.index() + 1);
    List& list = lists_[id.index()];
    if (list.epoch != epoch_ || list.serial != serial) list = {epoch_, serial, 0, {}};
    for (; list.tried < count; ++list.tried) {
      if (matches(list.tried)) list.matching.push_back(static_cast<uint32_t>(list.tried));
    }
    return list.matching;
  }

 private:
  struct List {
    uint64_t epoch = 0;
    uint64_t serial = 0;  // Of the labels that had this id.
    size_t tried = 0;
    std::vector<uint32_t> matching;
  };
  std::vector<List> lists_;  // By label set.
  uint64_t epoch_ = 1;
};

}  // namespace berth
