// The SQLite journal: restarts after a clean and an unclean exit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/store/log_database.h"
#include "apiserver/store/sqlite.h"
#include "apiserver/store/store_testing.h"
#include "base/random.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

int64_t CountRows(const TemporaryDirectory& directory) {
  const auto database = Database::Open(directory.path() + "/berth.db");
  return (*database)->QueryInteger("SELECT count(*) FROM log").value();
}

TEST(SqliteJournalTest, ARestartRestoresStateHistoryAndVersions) {
  const TemporaryDirectory directory;
  {
    const auto store = OpenIn(directory, 1000, 500);
    EXPECT_EQ(store->version(), 499U);
    Draft draft = MakeDraft("ns/a", "x");
    draft.object.labels = {{"app", "web, or: so"}, {"empty", ""}};
    draft.object.fields = {"", "Running", "5:five,"};
    ASSERT_TRUE(store->Create(kPods, draft));                         // 500
    ASSERT_TRUE(store->Create(kNodes, MakeDraft("n", "\xc3\xa9")));   // 501
    ASSERT_TRUE(store->Create(kPods, MakeDraft("ns/b", "x")));        // 502
    ASSERT_TRUE(store->Replace(kPods, MakeDraft("ns/b", "y"), 502));  // 503
    ASSERT_TRUE(store->Delete(kPods, Name("ns/b"), 503));             // 504
    ASSERT_TRUE(store->Create(kPods, MakeDraft("ns/b", "again")));    // 505
  }
  for (int restart = 0; restart < 2; ++restart) {
    const auto store = OpenIn(directory);
    EXPECT_EQ(store->version(), 505U) << "closed properly: no version is skipped";
    EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("ns/a@500=x", "ns/b@505=again"));
    EXPECT_THAT(Show(store->List(kNodes, {}).objects), ElementsAre("/n@501=\xc3\xa9"));
    const ObjectPtr a = store->Get(kPods, Name("ns/a"));
    EXPECT_THAT(a->labels,
                ElementsAre(testing::Pair("app", "web, or: so"), testing::Pair("empty", "")));
    EXPECT_THAT(a->fields, ElementsAre("", "Running", "5:five,"));
    EXPECT_EQ(a->uid, "uid-ns/a");
    EXPECT_EQ(a->version_at, 6U);
    EXPECT_THAT(Read(*store->Watch(kPods, 500, nullptr)),
                ElementsAre("+ns/b@502=x", "~ns/b@503=y was ns/b@502=x",
                            "-ns/b@504=y was ns/b@503=y", "+ns/b@505=again"));
    EXPECT_THAT(Show(store->List(kPods, {.at = 503}).objects),
                ElementsAre("ns/a@500=x", "ns/b@503=y"));
    EXPECT_THAT(Read(*store->Watch(kPods, 498, nullptr)), ElementsAre("expired"));
  }
  const auto store = OpenIn(directory);
  EXPECT_EQ(Show(**store->Create(kPods, MakeDraft("ns/c", "x"))), "ns/c@506=x");
}

TEST(SqliteJournalTest, WatchesResumeAfterARestart) {
  const TemporaryDirectory directory;
  Version seen = 0;
  {
    const auto store = OpenIn(directory);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
    seen = store->version();
    ASSERT_TRUE(store->Create(kPods, MakeDraft("b", "x")));
  }
  const auto store = OpenIn(directory);
  const auto cursor = store->Watch(kPods, seen, nullptr);
  ASSERT_TRUE(store->Create(kPods, MakeDraft("c", "x")));
  AwaitVisible(*store);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/b@2=x", "+/c@3=x"));
}

TEST(SqliteJournalTest, AnEmptyStoreRetainsItsFirstVersion) {
  const TemporaryDirectory directory;
  OpenIn(directory, 1000, 700);
  const auto store = OpenIn(directory);
  EXPECT_EQ(store->version(), 699U);
  EXPECT_THAT(Read(*store->Watch(kPods, 698, nullptr)), ElementsAre("expired"));
  EXPECT_THAT(Read(*store->Watch(kPods, 699, nullptr)), IsEmpty());
}

TEST(SqliteJournalTest, AfterAnUncleanExitReservedVersionsAreSkipped) {
  const TemporaryDirectory directory;
  {
    auto database = LogDatabase::Open(directory.path());
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE((*database)->Start(1, 101));
    const ObjectPtr object = OpenStore()->Create(kPods, MakeDraft("a", "x")).value();
    ASSERT_TRUE((*database)->Write({{{"pods", false, object}}}, {}, {}));
  }
  const auto store = OpenIn(directory);
  EXPECT_EQ(store->version(), 100U);
  EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("/a@1=x"));
  EXPECT_THAT(Read(*store->Watch(kPods, 0, nullptr)), ElementsAre("+/a@1=x"));
  EXPECT_THAT(Show(**store->Create(kPods, MakeDraft("b", "x"))), "/b@101=x");
}

TEST(SqliteJournalTest, CompactionRetainsOnlyStateAndHistory) {
  const TemporaryDirectory directory;
  {
    const auto store = OpenIn(directory, 10);
    for (int i = 0; i < 1000; ++i) {
      const std::string name = fmt::format("{:03}", i % 20);
      const ObjectPtr now = store->Get(kPods, Name(name));
      if (now == nullptr) {
        ASSERT_TRUE(store->Create(kPods, MakeDraft(name, "x")));
      } else if (i % 3 == 0) {
        ASSERT_TRUE(store->Delete(kPods, now->key, now->version));
      } else {
        ASSERT_TRUE(store->Replace(kPods, MakeDraft(name, "y"), now->version));
      }
      if (i % 10 == 0) AwaitVisible(*store);
    }
  }
  // 20 objects, ten events, and the rows that the next chunk and the next step will drop.
  EXPECT_LT(CountRows(directory), 400);
  const auto store = OpenIn(directory, 10);
  EXPECT_EQ(Read(*store->Watch(kPods, 990, nullptr)).size(), 10U);
  EXPECT_THAT(Read(*store->Watch(kPods, 989, nullptr)), ElementsAre("expired"));
}

TEST(SqliteJournalTest, ALongerHistoryDoesNotRestoreDroppedEvents) {
  const TemporaryDirectory directory;
  {
    const auto store = OpenIn(directory, 10);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("stays", "x")));  // 1
    for (Version i = 0; i < 500; ++i) {                          // 2 to 1001
      const auto created = store->Create(kPods, MakeDraft("goes", "x"));
      ASSERT_TRUE(created);
      ASSERT_TRUE(store->Delete(kPods, Name("goes"), (*created)->version));
      if (i % 10 == 0) AwaitVisible(*store);
    }
  }
  ASSERT_LT(CountRows(directory), 900) << "nothing was dropped, so nothing is shown";
  const auto store = OpenIn(directory, 100'000);
  EXPECT_THAT(Read(*store->Watch(kPods, 0, nullptr)), ElementsAre("expired"));
  EXPECT_THAT(Read(*store->Watch(kPods, 1, nullptr)), ElementsAre("expired"));
  EXPECT_TRUE(store->List(kPods, {.at = 1}).expired);
  EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("/stays@1=x"));
  EXPECT_EQ(Read(*store->Watch(kPods, 991, nullptr)).size(), 10U);
}

// Returns the observable state of a store: its objects, and the events and the state of each
// version.
std::vector<std::vector<std::string>> DescribeAll(Store& store, Version versions) {
  std::vector<std::vector<std::string>> all;
  for (const Collection collection : {kPods, kNodes}) {
    all.push_back(Show(store.List(collection, {}).objects));
    for (Version version = 0; version <= versions; ++version) {
      all.push_back(Read(*store.Watch(collection, version, nullptr)));
      all.push_back(Show(store.List(collection, {.at = version}).objects));
    }
  }
  return all;
}

class RestartTest : public testing::TestWithParam<uint64_t> {};

TEST_P(RestartTest, ARestartChangesNothing) {
  const TemporaryDirectory directory;
  Random random(GetParam());
  const size_t history = random.Below(150);
  for (int restart = 0; restart < 3; ++restart) {
    auto store = OpenIn(directory, history, 1, 16);
    for (uint64_t writes = random.Below(200); writes > 0; --writes) {
      const Collection collection = random.Below(5) == 0 ? kNodes : kPods;
      const std::string name = fmt::format("ns/{}", random.Below(10));
      const ObjectPtr now = store->Get(collection, Name(name));
      if (now == nullptr) {
        ASSERT_TRUE(store->Create(collection, MakeDraft(name, "x")));
      } else if (random.Below(2) == 0) {
        ASSERT_TRUE(store->Replace(collection, MakeDraft(name, "y"), now->version));
      } else {
        ASSERT_TRUE(store->Delete(collection, now->key, now->version));
      }
      if (random.Below(20) == 0) AwaitVisible(*store);
    }
    AwaitVisible(*store);
    const Version newest = store->version();
    const auto before = DescribeAll(*store, newest);
    store.reset();
    store = OpenIn(directory, history);
    EXPECT_EQ(store->version(), newest);
    EXPECT_EQ(DescribeAll(*store, newest), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RestartTest, testing::Range<uint64_t>(1, 9));

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
