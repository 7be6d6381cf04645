// The store without a journal: writes, lists, lists of the past, cursors.
#include "apiserver/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/store/store_testing.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StoreTest, WritesSetTheVersionInTheJson) {
  const auto store = OpenStore();
  EXPECT_EQ(store->version(), 0U);
  const WriteOutcome created = store->Create(kPods, MakeDraft("ns/a", "one"));
  ASSERT_TRUE(created);
  EXPECT_EQ((*created)->json, R"({"v":"1","text":"one"})");
  EXPECT_EQ((*created)->version, 1U);
  EXPECT_EQ((*created)->version_at, 6U);
  const WriteOutcome replaced = store->Replace(kPods, MakeDraft("ns/a", "two"), 1);
  ASSERT_TRUE(replaced);
  EXPECT_EQ(Show(**replaced), "ns/a@2=two");
  EXPECT_EQ(store->Get(kPods, Name("ns/a")), *replaced);
  EXPECT_EQ(Show(**created), "ns/a@1=one") << "what was read stays true of its version";
  const WriteOutcome deleted = store->Delete(kPods, Name("ns/a"), 2);
  ASSERT_TRUE(deleted);
  EXPECT_EQ(Show(**deleted), "ns/a@3=two");
  EXPECT_EQ((*deleted)->uid, "uid-ns/a");
  EXPECT_EQ(store->Get(kPods, Name("ns/a")), nullptr);
  EXPECT_EQ(store->Count(kPods), 0U);
  EXPECT_EQ(store->version(), 3U);
}

TEST(StoreTest, RejectedWritesChangeNothing) {
  const auto store = OpenStore();
  ASSERT_TRUE(store->Create(kPods, MakeDraft("ns/a", "one")));
  EXPECT_EQ(store->Create(kPods, MakeDraft("ns/a", "two")), std::unexpected(WriteError::kExists));
  EXPECT_EQ(store->Replace(kPods, MakeDraft("ns/b", "two"), 1),
            std::unexpected(WriteError::kNotFound));
  EXPECT_EQ(store->Replace(kPods, MakeDraft("ns/a", "two"), 7),
            std::unexpected(WriteError::kConflict));
  EXPECT_EQ(store->Delete(kPods, Name("ns/b"), 1), std::unexpected(WriteError::kNotFound));
  EXPECT_EQ(store->Delete(kPods, Name("ns/a"), 0), std::unexpected(WriteError::kConflict));
  EXPECT_EQ(store->version(), 1U);
  EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("ns/a@1=one"));
  EXPECT_TRUE(store->health());
}

TEST(StoreTest, CollectionsShareOnlyVersions) {
  const auto store = OpenStore(nullptr, 1000, 100);
  EXPECT_EQ(store->version(), 99U);
  ASSERT_TRUE(store->Create(kPods, MakeDraft("ns/a", "pod")));
  ASSERT_TRUE(store->Create(kNodes, MakeDraft("a", "node")));
  EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("ns/a@100=pod"));
  EXPECT_THAT(Show(store->List(kNodes, {}).objects), ElementsAre("/a@101=node"));
  EXPECT_EQ(store->List(kPods, {}).version, 101U);
  EXPECT_EQ(Read(*store->Watch(kPods, 98, nullptr)), std::vector<std::string>{"expired"})
      << "a version from before this store";
}

TEST(StoreTest, TheVersionMayGrowByADigit) {
  const auto store = OpenStore(nullptr, 1000, 9);
  EXPECT_EQ(Show(**store->Create(kPods, MakeDraft("a", "x"))), "/a@9=x");
  EXPECT_EQ(Show(**store->Create(kPods, MakeDraft("b", "x"))), "/b@10=x");
  EXPECT_EQ(Show(**store->Delete(kPods, Name("a"), 9)), "/a@11=x");
}

struct ListCase {
  const char* name;
  ListQuery query;
  std::vector<std::string> want;
  size_t remaining = 0;
};
std::ostream& operator<<(std::ostream& out, const ListCase& c) { return out << c.name; }

bool IsOdd(const Object& object) { return object.labels[0].second == "odd"; }

class ListTest : public testing::TestWithParam<ListCase> {};

TEST_P(ListTest, Lists) {
  const auto store = OpenStore();
  for (const char* name : {"b/2", "a/1", "b/1", "c/1", "b/3", "bb/1"}) {
    const char last = name[std::string_view(name).size() - 1];
    ASSERT_TRUE(store->Create(kPods, MakeDraft(name, (last - '0') % 2 != 0 ? "odd" : "even")));
  }
  const ListResult list = store->List(kPods, GetParam().query);
  std::vector<std::string> names;
  for (const ObjectPtr& object : list.objects) {
    names.push_back(object->key.namespace_ + "/" + object->key.name);
  }
  EXPECT_EQ(names, GetParam().want);
  EXPECT_EQ(list.remaining, GetParam().remaining);
  EXPECT_EQ(list.more, GetParam().remaining > 0);
  EXPECT_EQ(list.version, 6U);
}

INSTANTIATE_TEST_SUITE_P(
    Store, ListTest,
    testing::Values(
        ListCase{"All", {}, {"a/1", "b/1", "b/2", "b/3", "bb/1", "c/1"}},
        ListCase{"Namespace", {.namespace_ = "b"}, {"b/1", "b/2", "b/3"}},
        ListCase{"NoSuchNamespace", {.namespace_ = "ba"}, {}},
        ListCase{"NamespaceBeforeAll", {.namespace_ = "A"}, {}},
        ListCase{"NamespaceAfterAll", {.namespace_ = "d"}, {}},
        ListCase{"FirstPage", {.limit = 2}, {"a/1", "b/1"}, 4},
        ListCase{"NextPage", {.after = ObjectName{"b", "1"}, .limit = 2}, {"b/2", "b/3"}, 2},
        ListCase{"LastPage", {.after = ObjectName{"b", "3"}, .limit = 2}, {"bb/1", "c/1"}},
        ListCase{"BeyondTheLast", {.after = ObjectName{"c", "1"}, .limit = 2}, {}},
        ListCase{"AfterANameThatIsGone",
                 {.after = ObjectName{"b", "11"}},
                 {"b/2", "b/3", "bb/1", "c/1"}},
        ListCase{"PageOfANamespace",
                 {.namespace_ = "b", .after = ObjectName{"b", "1"}, .limit = 1},
                 {"b/2"},
                 1},
        ListCase{"AfterAnotherNamespace",
                 {.namespace_ = "b", .after = ObjectName{"a", "9"}},
                 {"b/1", "b/2", "b/3"}},
        ListCase{"Matches", {.matches = IsOdd}, {"a/1", "b/1", "b/3", "bb/1", "c/1"}},
        ListCase{"LimitCountsMatches", {.limit = 3, .matches = IsOdd}, {"a/1", "b/1", "b/3"}, 2},
        ListCase{"LimitThatFits", {.limit = 6}, {"a/1", "b/1", "b/2", "b/3", "bb/1", "c/1"}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(StoreTest, MatchesMayCallTheStore) {
  const auto store = OpenStore();
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
  const auto exists = [&](const Object& object) {
    return store->Get(kPods, object.key) != nullptr;
  };
  EXPECT_EQ(store->List(kPods, {.matches = exists}).objects.size(), 1U);
}

TEST(StoreTest, ListsPastStates) {
  const auto store = OpenStore(nullptr, 4);
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a/1", "x")));      // 1
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a/3", "x")));      // 2
  ASSERT_TRUE(store->Create(kPods, MakeDraft("b/1", "x")));      // 3
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a/2", "x")));      // 4
  ASSERT_TRUE(store->Replace(kPods, MakeDraft("a/1", "y"), 1));  // 5
  ASSERT_TRUE(store->Delete(kPods, Name("a/3"), 2));             // 6
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a/3", "z")));      // 7
  ASSERT_TRUE(store->Create(kNodes, MakeDraft("n", "x")));       // 8

  const ListResult first = store->List(kPods, {.limit = 1, .at = 3});
  EXPECT_THAT(Show(first.objects), ElementsAre("a/1@1=x"));
  EXPECT_EQ(first.remaining, 2U);
  EXPECT_EQ(first.version, 3U);
  const ListResult rest = store->List(kPods, {.after = ObjectName{"a", "1"}, .at = 3});
  EXPECT_THAT(Show(rest.objects), ElementsAre("a/3@2=x", "b/1@3=x"));
  EXPECT_FALSE(rest.more);
  EXPECT_THAT(Show(store->List(kPods, {.namespace_ = "a", .at = 6}).objects),
              ElementsAre("a/1@5=y", "a/2@4=x"));
  EXPECT_THAT(Show(store->List(kPods, {.namespace_ = "b", .at = 3}).objects),
              ElementsAre("b/1@3=x"));
  EXPECT_EQ(store->List(kPods, {.at = 99}).version, 8U);
  EXPECT_FALSE(store->List(kPods, {.at = 3}).expired);
  EXPECT_TRUE(store->List(kPods, {.at = 2}).expired);
  EXPECT_THAT(store->List(kPods, {.at = 2}).objects, IsEmpty());
  EXPECT_FALSE(store->List(kNodes, {.at = 2}).expired) << "each collection has its own history";
}

TEST(CursorTest, ReadsTheEventsAfterItsStart) {
  const auto store = OpenStore();
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
  const auto cursor = store->Watch(kPods, 1, nullptr);
  ASSERT_TRUE(store->Create(kPods, MakeDraft("b", "x")));
  ASSERT_TRUE(store->Create(kNodes, MakeDraft("n", "x")));
  ASSERT_TRUE(store->Replace(kPods, MakeDraft("a", "y"), 1));
  ASSERT_TRUE(store->Delete(kPods, Name("a"), 4));
  EXPECT_EQ(cursor->position(), 1U);
  EXPECT_THAT(Read(*cursor, 2), ElementsAre("+/b@2=x", "~/a@4=y was /a@1=x"));
  EXPECT_EQ(cursor->position(), 4U);
  EXPECT_THAT(Read(*cursor), ElementsAre("-/a@5=y was /a@4=y"));
  EXPECT_THAT(Read(*cursor), IsEmpty());
  ASSERT_TRUE(store->Create(kNodes, MakeDraft("m", "x")));
  EXPECT_THAT(Read(*cursor), IsEmpty());
  EXPECT_EQ(cursor->position(), 6U) << "so that a bookmark keeps a quiet watch in history";
}

TEST(CursorTest, IsWokenOnceWhenItHasReadEverything) {
  const auto store = OpenStore();
  int wakes = 0;
  const auto cursor = store->Watch(kPods, 0, [&] { ++wakes; });
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
  EXPECT_EQ(wakes, 0) << "it has not read to the end yet";
  EXPECT_THAT(Read(*cursor), ElementsAre("+/a@1=x"));
  ASSERT_TRUE(store->Create(kPods, MakeDraft("b", "x")));
  EXPECT_EQ(wakes, 0) << "it had something to read";
  EXPECT_THAT(Read(*cursor), ElementsAre("+/b@2=x"));
  EXPECT_THAT(Read(*cursor), IsEmpty());
  ASSERT_TRUE(store->Create(kNodes, MakeDraft("n", "x")));
  EXPECT_EQ(wakes, 0) << "another collection's";
  ASSERT_TRUE(store->Create(kPods, MakeDraft("c", "x")));
  ASSERT_TRUE(store->Create(kPods, MakeDraft("d", "x")));
  EXPECT_EQ(wakes, 1);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/c@4=x", "+/d@5=x"));
}

TEST(CursorTest, IsNotWokenAfterItsDestruction) {
  const auto store = OpenStore();
  int first = 0, second = 0, third = 0;
  auto a = store->Watch(kPods, 0, [&] { ++first; });
  auto b = store->Watch(kPods, 0, [&] { ++second; });
  auto c = store->Watch(kPods, 0, [&] { ++third; });
  for (const auto& cursor : {a.get(), b.get(), c.get()}) EXPECT_THAT(Read(*cursor), IsEmpty());
  a.reset();
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(third, 1);
}

TEST(CursorTest, ExpiresWhenItsEventsAreDropped) {
  const auto store = OpenStore(nullptr, 3);
  const auto early = store->Watch(kPods, 0, nullptr);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(store->Create(kPods, MakeDraft(fmt::format("{}", i), "x")));
  EXPECT_THAT(Read(*early, 1), ElementsAre("+/0@1=x"));
  ASSERT_TRUE(store->Create(kPods, MakeDraft("3", "x")));
  EXPECT_THAT(Read(*early, 1), ElementsAre("+/1@2=x")) << "what was read may be dropped";
  ASSERT_TRUE(store->Create(kPods, MakeDraft("4", "x")));
  ASSERT_TRUE(store->Create(kPods, MakeDraft("5", "x")));
  EXPECT_THAT(Read(*early), ElementsAre("expired"));
  EXPECT_THAT(Read(*early), ElementsAre("expired"));
  EXPECT_THAT(Read(*store->Watch(kPods, 2, nullptr)), ElementsAre("expired"));
  EXPECT_THAT(Read(*store->Watch(kPods, 3, nullptr)), ElementsAre("+/3@4=x", "+/4@5=x", "+/5@6=x"));
}

TEST(CursorTest, MayStartInTheFuture) {
  const auto store = OpenStore(nullptr, 2);
  int wakes = 0;
  const auto cursor = store->Watch(kPods, 2, [&] { ++wakes; });
  EXPECT_THAT(Read(*cursor), IsEmpty());
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_THAT(Read(*cursor), IsEmpty());
    ASSERT_TRUE(store->Create(kPods, MakeDraft(name, "x")));
    if (store->version() == 2) {
      EXPECT_THAT(Read(*cursor), IsEmpty());
      EXPECT_EQ(cursor->position(), 2U);
    }
    if (store->version() == 3) {
      EXPECT_THAT(Read(*cursor), ElementsAre("+/c@3=x"));
    }
  }
  EXPECT_GE(wakes, 1);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/d@4=x"));
}

TEST(CursorTest, ReadsOverManyChunks) {
  const auto store = OpenStore(nullptr, 1000);
  const auto cursor = store->Watch(kPods, 0, nullptr);
  std::vector<Event> events;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(store->Create(kPods, MakeDraft(fmt::format("{}", i), "x")));
    if (i % 90 == 89) {
      ASSERT_TRUE(cursor->Read(70, events));
    }
  }
  ASSERT_TRUE(cursor->Read(1000, events));
  ASSERT_EQ(events.size(), 500U);
  for (size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].version(), i + 1);
}

TEST(WhenVisibleTest, IsCalledAtOnceOrWhenTheVersionIsWritten) {
  auto store = OpenStore();
  ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
  std::vector<std::string> calls;
  const auto note = [&](const char* name) {
    return [&calls, name](const Status& status) {
      calls.push_back(name + (status ? std::string() : ": " + status.error().message));
    };
  };
  store->WhenVisible(1, note("one"));
  EXPECT_THAT(calls, ElementsAre("one"));
  store->WhenVisible(3, note("three"));
  store->WhenVisible(2, note("two"));
  store->WhenVisible(9, note("nine"));
  ASSERT_TRUE(store->Create(kPods, MakeDraft("b", "x")));
  ASSERT_TRUE(store->Create(kPods, MakeDraft("c", "x")));
  EXPECT_THAT(calls, ElementsAre("one", "two", "three"));
  store.reset();
  EXPECT_EQ(calls.back(), "nine: the store has been closed");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
