#include "scheduler/model/label_set_index.h"

#include "base/check.h"

namespace berth::scheduler::model {

void LabelSetIndex::Add(LabelSetId id, Symbol namespace_, LabelSpan labels) {
  if (id.index() >= places_.size()) places_.resize(id.index() + 1);
  std::vector<uint32_t>& places = places_[id.index()];
  CHECK(places.empty());
  places.reserve(labels.size());
  for (uint32_t i = 0; i < labels.size(); ++i) {
    std::vector<Posting>& list = lists_[labels[i]];
    places.push_back(static_cast<uint32_t>(list.size()));
    list.push_back({id, namespace_, i});
  }
}

void LabelSetIndex::Remove(LabelSetId id, LabelSpan labels) {
  std::vector<uint32_t>& places = places_[id.index()];
  CHECK(places.size() == labels.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto found = lists_.find(labels[i]);
    std::vector<Posting>& list = found->second;
    // The last one moves into the gap.
    const Posting moved = list.back();
    list[places[i]] = moved;
    places_[moved.set.index()][moved.label] = places[i];
    list.pop_back();
    if (list.empty()) {
      lists_.erase(found);
    } else if (list.size() < list.capacity() / 4) {
      list.shrink_to_fit();
    }
  }
  places = std::vector<uint32_t>();
}

std::span<const LabelSetIndex::Posting> LabelSetIndex::With(Label label) const {
  const auto found = lists_.find(label);
  return found == lists_.end() ? std::span<const Posting>{} : found->second;
}

}  // namespace berth::scheduler::model
