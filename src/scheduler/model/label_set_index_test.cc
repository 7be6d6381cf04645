#include "scheduler/model/label_set_index.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

Labels RandomLabels(Random& random) {
  Labels labels;
  for (uint32_t key = 0; key < 4; ++key) {
    if (random.Chance(60))
      labels.push_back({Symbol{key}, Symbol{static_cast<uint32_t>(100 + random.Below(3))}});
  }
  return labels;
}

// Label sets by id, as they were added.
using Sets = std::map<uint32_t, Labels>;

void ExpectLists(const LabelSetIndex& index, const Sets& sets) {
  std::map<Label, std::set<LabelSetId>> wanted;
  for (const auto& [id, labels] : sets) {
    for (const Label& label : labels) wanted[label].insert(LabelSetId{id});
  }
  EXPECT_EQ(index.size(), wanted.size());
  for (const auto& [label, ids] : wanted) {
    std::set<LabelSetId> listed;
    for (const LabelSetIndex::Posting& posting : index.With(label)) {
      EXPECT_TRUE(listed.insert(posting.set).second);
      EXPECT_EQ(posting.namespace_.value, 7 + posting.set.value % 2);
    }
    EXPECT_EQ(listed, ids);
  }
}

TEST(LabelSetIndex, ListsTheSetsThatAreThere) {
  Random random(1);
  LabelSetIndex index;
  Sets sets;
  for (int step = 0; step < 2000; ++step) {
    const auto id = static_cast<uint32_t>(random.Below(40));
    if (const auto found = sets.find(id); found != sets.end()) {
      index.Remove(LabelSetId{id}, found->second);
      sets.erase(found);
    } else {
      const Labels& labels = sets[id] = RandomLabels(random);
      index.Add(LabelSetId{id}, Symbol{7 + id % 2}, labels);
    }
    ExpectLists(index, sets);
    ASSERT_FALSE(testing::Test::HasFailure()) << "step " << step;
  }
  for (const auto& [id, labels] : sets) index.Remove(LabelSetId{id}, labels);
  EXPECT_EQ(index.size(), 0u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
