// A store with a journal that delays writes: when writes become visible, and the effect of
// failures.
#include "apiserver/store/visibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/store/store_testing.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class VisibilityTest : public testing::Test {
 protected:
  std::function<void(Status)> Note(const std::string& name) {
    return [this, name](const Status& status) {
      calls_.push_back(name + (status ? "" : ": " + status.error().message));
    };
  }
  void Create(const char* name) { ASSERT_TRUE(store_->Create(kPods, MakeDraft(name, "x"))); }

  std::shared_ptr<ManualJournal::Notes> journal_ = std::make_shared<ManualJournal::Notes>();
  std::unique_ptr<Store> store_ = OpenStore(std::make_unique<ManualJournal>(journal_));
  std::vector<std::string> calls_;
};

TEST_F(VisibilityTest, AWriteIsReadableAtOnceAndItsEventWhenItIsDurable) {
  int wakes = 0;
  const auto cursor = store_->Watch(kPods, 0, [&] { ++wakes; });
  EXPECT_THAT(Read(*cursor), IsEmpty());
  Create("a");
  Create("b");
  EXPECT_THAT(Show(store_->List(kPods, {}).objects), ElementsAre("/a@1=x", "/b@2=x"));
  EXPECT_EQ(store_->version(), 2U);
  EXPECT_THAT(Read(*cursor), IsEmpty());
  EXPECT_EQ(cursor->position(), 0U);
  EXPECT_EQ(wakes, 0);
  journal_->durable(1);
  EXPECT_EQ(wakes, 1);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/a@1=x"));
  EXPECT_EQ(cursor->position(), 1U);
  journal_->durable(2);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/b@2=x"));
}

TEST_F(VisibilityTest, WaitersAreCalledInTheOrderOfVersions) {
  Create("a");
  Create("b");
  Create("c");
  store_->WhenVisible(3, Note("three"));
  store_->WhenVisible(1, Note("one"));
  store_->WhenVisible(2, Note("two"));
  store_->WhenVisible(1, Note("one again"));
  store_->WhenVisible(0, Note("zero"));
  EXPECT_THAT(calls_, ElementsAre("zero"));
  journal_->durable(2);
  EXPECT_THAT(calls_, ElementsAre("zero", "one", "one again", "two"));
  journal_->durable(3);
  EXPECT_EQ(calls_.back(), "three");
}

TEST_F(VisibilityTest, WatchFromAListThatIsNotDurableMissesNothing) {
  Create("a");
  const auto cursor = store_->Watch(kPods, store_->List(kPods, {}).version, nullptr);
  Create("b");
  journal_->durable(1);
  EXPECT_THAT(Read(*cursor), IsEmpty());
  journal_->durable(2);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/b@2=x"));
}

TEST_F(VisibilityTest, AFailureUndoesInvisibleWritesAndRejectsNewOnes) {
  Create("a");
  Create("b");
  Create("c");
  journal_->durable(3);
  const auto cursor = store_->Watch(kPods, 0, nullptr);
  ASSERT_TRUE(store_->Replace(kPods, MakeDraft("a", "y"), 1));
  ASSERT_TRUE(store_->Replace(kPods, MakeDraft("a", "z"), 4));
  ASSERT_TRUE(store_->Delete(kPods, Name("b"), 2));
  Create("b");
  Create("d");
  store_->WhenVisible(5, Note("five"));
  store_->WhenVisible(99, Note("later"));
  EXPECT_TRUE(store_->health());
  journal_->durable(Fail("disk full"));

  EXPECT_THAT(calls_, ElementsAre("five: disk full", "later: disk full"));
  EXPECT_THAT(Show(store_->List(kPods, {}).objects), ElementsAre("/a@1=x", "/b@2=x", "/c@3=x"));
  EXPECT_EQ(store_->version(), 3U);
  EXPECT_EQ(store_->health().error().message, "disk full");
  const auto failed = std::unexpected(WriteError::kFailed);
  EXPECT_EQ(store_->Create(kPods, MakeDraft("e", "x")), failed);
  EXPECT_EQ(store_->Replace(kPods, MakeDraft("a", "y"), 1), failed);
  EXPECT_EQ(store_->Delete(kPods, Name("a"), 1), failed);
  store_->WhenVisible(3, Note("three"));
  store_->WhenVisible(4, Note("four"));
  EXPECT_EQ(calls_[2], "three");
  EXPECT_EQ(calls_[3], "four: disk full");
  EXPECT_THAT(Read(*cursor), ElementsAre("+/a@1=x", "+/b@2=x", "+/c@3=x"));
}

TEST_F(VisibilityTest, HiddenEventsAreNotDropped) {
  store_ = OpenStore(std::make_unique<ManualJournal>(journal_), 2);
  const auto cursor = store_->Watch(kPods, 0, nullptr);
  for (const char* name : {"a", "b", "c", "d"}) Create(name);
  journal_->durable(2);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/a@1=x", "+/b@2=x"));
  journal_->durable(4);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/c@3=x", "+/d@4=x"));
}

TEST_F(VisibilityTest, CompactsDroppedEvents) {
  store_ = OpenStore(std::make_unique<ManualJournal>(journal_), 0);
  // 64 events, a chunk: 30 objects of which ten are replaced, ten deleted, and seven both.
  for (int i = 0; i < 30; ++i) Create(fmt::format("{:02}", i).c_str());
  for (int i = 0; i < 17; ++i) {
    ASSERT_TRUE(store_->Replace(kPods, MakeDraft(fmt::format("{:02}", i), "y"),
                                static_cast<Version>(i + 1)));  // 31 to 47
  }
  for (int i = 10; i < 27; ++i) {  // 48 to 64
    const Version seen = static_cast<Version>(i < 17 ? i + 31 : i + 1);
    ASSERT_TRUE(store_->Delete(kPods, Name(fmt::format("{:02}", i)), seen));
  }
  EXPECT_THAT(journal_->compactions, IsEmpty());
  journal_->durable(64);
  ASSERT_EQ(journal_->compactions.size(), 1U);
  const Compaction& compaction = journal_->compactions[0];
  EXPECT_EQ(compaction.collection, "pods");
  EXPECT_EQ(compaction.floor, 64U);
  std::vector<Version> want;
  for (Version version = 1; version <= 27; ++version) want.push_back(version);  // replaced, deleted
  for (Version version = 41; version <= 47; ++version) want.push_back(version);  // then deleted
  for (Version version = 48; version <= 64; ++version) want.push_back(version);  // deletions
  EXPECT_THAT(compaction.versions, testing::UnorderedElementsAreArray(want));
}

TEST_F(VisibilityTest, AnEntryOfAnUnknownCollectionIsAnError) {
  journal_->appended.push_back({"widgets", false, std::make_shared<Object>()});
  StoreOptions options;
  options.collections = {"pods"};
  const auto opened = Store::Open(options, std::make_unique<ManualJournal>(journal_));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("the manual journal holds objects of \"widgets\""));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
