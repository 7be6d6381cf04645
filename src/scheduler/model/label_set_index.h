// LabelSetIndex lists, for each label that any pod has, the label sets with it.
//
// Add and Remove are O(labels of the set), however long the lists are. Memory follows the label
// sets that are in it now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "scheduler/model/ids.h"
#include "scheduler/model/labels.h"

namespace berth::scheduler::model {

class LabelSetIndex {
 public:
  struct Posting {
    LabelSetId set;
    Symbol
        namespace_;  // Here, so that sets of other namespaces are skipped without a look at them.
    uint32_t label = 0;  // The position of the label in its set.
  };

  // `id` must not be present.
  void Add(LabelSetId id, Symbol namespace_, LabelSpan labels);
  // `labels` are those that `id` was added with.
  void Remove(LabelSetId id, LabelSpan labels);

  // The label sets with `label`, in no particular order.
  std::span<const Posting> With(Label label) const;
  // The number of distinct labels.
  size_t size() const { return lists_.size(); }

 private:
  std::unordered_map<Label, std::vector<Posting>, LabelHash> lists_;
  // By label set, and by the position of a label in it: where its list has the set.
  std::vector<std::vector<uint32_t>> places_;
};

}  // namespace berth::scheduler::model
