#include "apiserver/store/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "apiserver/store/store_testing.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr size_t kLarge = 100'000;  // The bytes of an object's text.

ObjectPtr MakeAt(Version version, const std::string& text) {
  return MakeObject(MakeDraft("a", text), version);
}

TEST(HistoryTest, CountsEachObjectThatIsNotCurrentOnce) {
  History history(1000, 0);
  const ObjectPtr one = MakeAt(1, std::string(kLarge, '1'));
  const ObjectPtr two = MakeAt(2, std::string(kLarge, '2'));
  const ObjectPtr three = MakeAt(3, std::string(kLarge, '2'));
  history.Append({EventType::kAdded, one, nullptr});
  history.Append({EventType::kModified, two, one});
  EXPECT_EQ(history.bytes(), 0U) << "hidden events cannot be dropped";
  history.RevealOldest();
  EXPECT_EQ(history.bytes(), sizeof(Event)) << "the object is current";
  history.RevealOldest();
  EXPECT_EQ(history.bytes(), 2 * sizeof(Event) + MemoryOf(*one));
  EXPECT_GE(MemoryOf(*one), 2 * kLarge) << "in the JSON and in a label";
  history.Append({EventType::kDeleted, three, two});
  history.RevealOldest();
  EXPECT_EQ(history.bytes(),
            3 * sizeof(Event) + MemoryOf(*one) + MemoryOf(*two) + MemoryOf(*three));
  history.DropOldest();
  history.DropOldest();
  EXPECT_EQ(history.bytes(), sizeof(Event) + MemoryOf(*two) + MemoryOf(*three));
  EXPECT_EQ(history.floor(), 2U);
}

std::unique_ptr<Store> OpenSmall(size_t history_bytes, std::unique_ptr<Journal> journal = nullptr) {
  StoreOptions options;
  options.collections = {"pods", "nodes"};
  options.history_bytes = history_bytes;
  return Require(Store::Open(std::move(options), std::move(journal)));
}

// Replaces pod "a" by large objects; returns all of them.
std::vector<std::weak_ptr<const Object>> ReplaceOften(Store& store, int times) {
  std::vector<std::weak_ptr<const Object>> objects;
  for (int i = 0; i < times; ++i) {
    const Draft draft = MakeDraft("a", std::string(kLarge, static_cast<char>('a' + i % 26)));
    const ObjectPtr now = store.Get(kPods, Name("a"));
    objects.push_back(now == nullptr ? store.Create(kPods, draft).value()
                                     : store.Replace(kPods, draft, now->version).value());
  }
  return objects;
}

size_t BytesAlive(const std::vector<std::weak_ptr<const Object>>& objects) {
  size_t bytes = 0;
  for (const auto& object : objects) {
    if (const ObjectPtr alive = object.lock()) bytes += MemoryOf(*alive);
  }
  return bytes;
}

TEST(HistoryBytesTest, ReplacedObjectsOccupyLittleMoreThanTheLimit) {
  constexpr size_t kLimit = 4 << 20;
  const auto store = OpenSmall(kLimit);
  ASSERT_TRUE(store->Create(kNodes, MakeDraft("n", "x")));
  const auto watcher = store->Watch(kPods, 1, nullptr);
  const auto objects = ReplaceOften(*store, 600);
  const size_t alive = BytesAlive(objects);
  EXPECT_GT(alive, kLimit - (1 << 20));
  EXPECT_LT(alive, kLimit + 2 * History::kChunkBytes);

  EXPECT_THAT(Read(*watcher), ElementsAre("expired"));
  EXPECT_TRUE(store->List(kPods, {.at = 2}).expired);
  EXPECT_THAT(store->List(kPods, {}).objects, SizeIs(1)) << "the current state remains";
  EXPECT_THAT(Read(*store->Watch(kPods, store->version() - 1, nullptr)), SizeIs(1));
  EXPECT_THAT(Read(*store->Watch(kNodes, 0, nullptr)), ElementsAre("+/n@1=x"))
      << "the largest history is the one that gets shorter";
}

TEST(HistoryBytesTest, TheNewestEventStays) {
  const auto store = OpenSmall(1000);
  const auto watcher = store->Watch(kPods, 0, nullptr);
  ReplaceOften(*store, 1);
  EXPECT_THAT(Read(*watcher), SizeIs(1));
  ReplaceOften(*store, 1);
  EXPECT_THAT(Read(*watcher), SizeIs(1));
  EXPECT_THAT(Read(*watcher), IsEmpty());
}

TEST(HistoryBytesTest, HoldsAfterARestart) {
  constexpr size_t kLimit = 4 << 20;
  const TemporaryDirectory directory;
  const auto journal = [&] { return Require(OpenSqliteJournal(directory.path())); };
  Version oldest = 0;
  {
    const auto store = OpenSmall(kLimit, journal());
    const auto objects = ReplaceOften(*store, 599);
    AwaitVisible(*store);
    // Dropped events are freed after a write becomes visible, so before the next one does.
    ReplaceOften(*store, 1);
    AwaitVisible(*store);
    EXPECT_LT(BytesAlive(objects), kLimit + 2 * History::kChunkBytes);
    while (store->List(kPods, {.at = oldest}).expired) ++oldest;
    EXPECT_GT(oldest, 500U);
  }
  {
    const auto store = OpenSmall(kLimit, journal());
    EXPECT_TRUE(store->List(kPods, {.at = oldest - 1}).expired);
    EXPECT_FALSE(store->List(kPods, {.at = oldest}).expired);
  }
  const auto store = OpenSmall(kLimit / 2, journal());
  EXPECT_TRUE(store->List(kPods, {.at = oldest + 1}).expired) << "the new limit is smaller";
  EXPECT_THAT(Show(store->List(kPods, {}).objects).at(0), testing::StartsWith("/a@600="));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
