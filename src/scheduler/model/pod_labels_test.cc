#include "scheduler/model/pod_labels.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

using ThingId = Id<struct ThingTag>;
using Things = SharedTable<std::string, ThingId, std::hash<std::string>>;

TEST(SharedTable, EqualValuesShareAnId) {
  Things things;
  const ThingId a = things.Acquire("a");
  const ThingId b = things.Acquire("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(things.Acquire("a"), a);
  EXPECT_EQ(things.Get(a), "a");
  EXPECT_EQ(things.Get(b), "b");
  EXPECT_EQ(things.holders(a), 2u);
  EXPECT_EQ(things.size(), 2u);
}

TEST(SharedTable, ValueStaysUntilTheLastHolderLetsGo) {
  Things things;
  const ThingId a = things.Acquire("a");
  things.Retain(a);
  things.Release(a);
  EXPECT_EQ(things.Acquire("a"), a);
  things.Release(a);
  things.Release(a);
  EXPECT_EQ(things.size(), 0u);
}

TEST(SharedTable, FreeIdsAreUsedAgain) {
  Things things;
  const ThingId a = things.Acquire("a");
  const ThingId b = things.Acquire("b");
  things.Release(a);
  EXPECT_EQ(things.Acquire("c"), a);
  EXPECT_EQ(things.Get(a), "c");
  EXPECT_EQ(things.Get(b), "b");
  EXPECT_EQ(things.holders(a), 1u);
}

TEST(SharedTable, ValuesDoNotMoveWhenOthersCome) {
  Things things;
  const ThingId first = things.Acquire("first");
  const std::string* place = &things.Get(first);
  for (int i = 0; i < 1000; ++i) things.Acquire(std::to_string(i));
  EXPECT_EQ(&things.Get(first), place);
}

class PodLabelsTableTest : public testing::Test {
 protected:
  LabelSetId Acquire(const char* app) {
    const api::Pod pod = MakePod("p").Label("app", app);
    return labels_.Acquire(pod.metadata);
  }
  size_t SetsWith(const char* app) const {
    return labels_.by_label().With({symbols_.Find("app"), symbols_.Find(app)}).size();
  }
  std::vector<LabelSetId> All() const {
    std::vector<LabelSetId> all;
    labels_.ForEach([&](LabelSetId id) { all.push_back(id); });
    return all;
  }

  SymbolTable symbols_;
  PodLabelsTable labels_{symbols_};
};

TEST_F(PodLabelsTableTest, LabelSetsAreListedWhileTheyHaveHolders) {
  const LabelSetId web = Acquire("web"), db = Acquire("db");
  EXPECT_EQ(Acquire("web"), web);
  EXPECT_EQ(SetsWith("web"), 1u);
  EXPECT_EQ(All(), (std::vector{web, db}));
  labels_.Release(web);
  EXPECT_EQ(SetsWith("web"), 1u);
  labels_.Release(web);
  EXPECT_EQ(SetsWith("web"), 0u);
  EXPECT_EQ(All(), (std::vector{db}));
  labels_.Release(db);
  EXPECT_EQ(labels_.by_label().size(), 0u);
  EXPECT_EQ(symbols_.size(), 0u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
