// Collections that are added and removed while the store runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "apiserver/store/store_testing.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AddedCollectionsTest, AreLikeOthers) {
  const auto store = OpenStore();
  const Collection tabs = store->AddCollection("custom/tabs");
  EXPECT_EQ(store->AddCollection("custom/tabs"), tabs);
  EXPECT_NE(store->AddCollection("custom/others"), tabs);
  const auto cursor = store->Watch(tabs, store->version(), nullptr);
  ASSERT_TRUE(store->Create(tabs, MakeDraft("ns/a", "x")));
  ASSERT_TRUE(store->Create(kPods, MakeDraft("ns/p", "x")));
  EXPECT_THAT(Read(*cursor), ElementsAre("+ns/a@1=x"));
  EXPECT_THAT(Show(store->List(tabs, {}).objects), ElementsAre("ns/a@1=x"));
  EXPECT_EQ(store->Count(tabs), 1u);
}

TEST(AddedCollectionsTest, OnlyEmptyOnesAreRemoved) {
  const auto store = OpenStore();
  const Collection tabs = store->AddCollection("custom/tabs");
  ASSERT_TRUE(store->Create(tabs, MakeDraft("ns/a", "x")));
  EXPECT_FALSE(store->RemoveCollection(tabs));
  EXPECT_EQ(store->Count(tabs), 1u);
  ASSERT_TRUE(store->Delete(tabs, Name("ns/a"), 1));
  EXPECT_TRUE(store->RemoveCollection(tabs));
  EXPECT_TRUE(store->RemoveCollection(tabs)) << "it is gone already";
}

TEST(AddedCollectionsTest, ARemovedOneHasNothingAndTakesNothing) {
  const auto store = OpenStore();
  const Collection tabs = store->AddCollection("custom/tabs");
  int wakes = 0;
  const auto cursor = store->Watch(tabs, store->version(), [&] { ++wakes; });
  EXPECT_THAT(Read(*cursor), IsEmpty());
  ASSERT_TRUE(store->RemoveCollection(tabs));
  EXPECT_EQ(wakes, 1) << "its readers must list again";
  EXPECT_THAT(Read(*cursor), ElementsAre("expired"));
  EXPECT_EQ(store->Get(tabs, Name("ns/a")), nullptr);
  EXPECT_THAT(store->List(tabs, {}).objects, IsEmpty());
  EXPECT_TRUE(store->List(tabs, {.at = 0}).expired);
  EXPECT_EQ(store->Count(tabs), 0u);
  EXPECT_EQ(store->Create(tabs, MakeDraft("ns/a", "x")).error(), WriteError::kNotFound);
  EXPECT_EQ(store->Replace(tabs, MakeDraft("ns/a", "x"), 1).error(), WriteError::kNotFound);
  EXPECT_EQ(store->Delete(tabs, Name("ns/a"), 1).error(), WriteError::kNotFound);
  EXPECT_THAT(Read(*store->Watch(tabs, 0, nullptr)), ElementsAre("expired"));
}

TEST(AddedCollectionsTest, AnotherOneOfTheNameHasAnotherNumberAndHistory) {
  const auto store = OpenStore();
  const Collection first = store->AddCollection("custom/tabs");
  ASSERT_TRUE(store->Create(first, MakeDraft("ns/a", "x")));
  ASSERT_TRUE(store->Delete(first, Name("ns/a"), 1));
  ASSERT_TRUE(store->RemoveCollection(first));
  const Collection second = store->AddCollection("custom/tabs");
  EXPECT_NE(second, first);
  EXPECT_THAT(Read(*store->Watch(second, 1, nullptr)), ElementsAre("expired"));
  EXPECT_THAT(Read(*store->Watch(second, 2, nullptr)), IsEmpty());
}

TEST(AddedCollectionsTest, TheirRowsLeaveTheJournalOnceTheyAreDurable) {
  const auto notes = std::make_shared<ManualJournal::Notes>();
  const auto store = OpenStore(std::make_unique<ManualJournal>(notes));
  const Collection tabs = store->AddCollection("custom/tabs");
  ASSERT_TRUE(store->Create(tabs, MakeDraft("ns/a", "x")));
  ASSERT_TRUE(store->Delete(tabs, Name("ns/a"), 1));
  ASSERT_TRUE(store->RemoveCollection(tabs));
  EXPECT_THAT(notes->compactions, IsEmpty()) << "nothing is durable yet";
  notes->durable(2);
  ASSERT_EQ(notes->compactions.size(), 1u);
  EXPECT_EQ(notes->compactions[0].collection, "custom/tabs");
  EXPECT_EQ(notes->compactions[0].floor, 2u);
  EXPECT_THAT(notes->compactions[0].versions, ElementsAre(1, 2));
}

TEST(AddedCollectionsTest, AreRestored) {
  const TemporaryDirectory directory;
  {
    const auto store = OpenIn(directory);
    const Collection tabs = store->AddCollection("custom/tabs");
    ASSERT_TRUE(store->Create(tabs, MakeDraft("ns/a", "x")));
    ASSERT_TRUE(store->Create(tabs, MakeDraft("ns/b", "x")));
    const Collection gone = store->AddCollection("custom/gone");
    ASSERT_TRUE(store->Create(gone, MakeDraft("ns/c", "x")));
    ASSERT_TRUE(store->Delete(gone, Name("ns/c"), 3));
    ASSERT_TRUE(store->RemoveCollection(gone));
    AwaitVisible(*store);
  }
  const auto store = OpenIn(directory);
  const Collection tabs = store->AddCollection("custom/tabs");
  EXPECT_THAT(Show(store->List(tabs, {}).objects), ElementsAre("ns/a@1=x", "ns/b@2=x"));
  EXPECT_THAT(Read(*store->Watch(tabs, 1, nullptr)), ElementsAre("+ns/b@2=x"));
  EXPECT_EQ(store->Count(store->AddCollection("custom/gone")), 0u);
}

TEST(AddedCollectionsTest, OfOtherNamesAreNotInvented) {
  const TemporaryDirectory directory;
  {
    StoreOptions options;
    options.collections = {"boats"};
    const auto store = Require(Store::Open(options, Require(OpenSqliteJournal(directory.path()))));
    ASSERT_TRUE(store->Create(0, MakeDraft("ns/a", "x")));
    AwaitVisible(*store);
  }
  EXPECT_THAT(ErrorOf(directory.path()), testing::HasSubstr("objects of \"boats\""));
}

TEST(AddedCollectionsTest, TheirHistoryCountsForTheLimitOfAll) {
  StoreOptions options;
  options.collections = {"pods"};
  options.history_bytes = 20'000;
  const auto store = Require(Store::Open(options, nullptr));
  const Collection tabs = store->AddCollection("custom/tabs");
  const std::string text(1'000, 'x');
  ASSERT_TRUE(store->Create(tabs, MakeDraft("ns/a", text)));
  for (Version version = 1; version < 200; ++version) {
    ASSERT_TRUE(store->Replace(tabs, MakeDraft("ns/a", text), version));
  }
  EXPECT_THAT(Read(*store->Watch(tabs, 1, nullptr)), ElementsAre("expired"));
  // What the removed collection has used is free for others.
  ASSERT_TRUE(store->Delete(tabs, Name("ns/a"), 200));
  ASSERT_TRUE(store->RemoveCollection(tabs));
  ASSERT_TRUE(store->Create(0, MakeDraft("ns/p", text)));  // 202
  for (Version version = 202; version < 210; ++version) {
    ASSERT_TRUE(store->Replace(0, MakeDraft("ns/p", text), version));
  }
  EXPECT_EQ(Read(*store->Watch(0, 202, nullptr)).size(), 8u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
