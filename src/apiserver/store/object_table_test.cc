#include "apiserver/store/object_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "apiserver/store/store_testing.h"
#include "base/random.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

ObjectPtr MakeNamed(const std::string& name, Version version) {
  auto object = std::make_shared<Object>();
  object->key = Name(name);
  object->version = version;
  return object;
}

using Names = std::vector<std::string>;

Names TakeAll(ObjectTable::Snapshot snapshot) {
  Names names;
  const size_t remaining = snapshot.remaining();
  while (const ObjectPtr* object = snapshot.Next()) {
    names.push_back(fmt::format("{}/{}@{}", (*object)->key.namespace_, (*object)->key.name,
                                (*object)->version));
  }
  EXPECT_EQ(names.size(), remaining);
  EXPECT_EQ(snapshot.remaining(), 0U);
  return names;
}

TEST(ObjectTableTest, ASnapshotDoesNotChange) {
  ObjectTable table;
  for (int i = 0; i < 1000; ++i) table.Put(MakeNamed(fmt::format("ns/{:04}", i), 1));
  const ObjectTable::Snapshot before = table.Range({}, {}, 0);
  for (int i = 0; i < 1000; i += 2) table.Erase(table.Locate(Name(fmt::format("ns/{:04}", i))));
  for (int i = 1; i < 1000; i += 2) table.Put(MakeNamed(fmt::format("ns/{:04}", i), 2));
  const Names names = TakeAll(before);
  ASSERT_EQ(names.size(), 1000U);
  EXPECT_EQ(names.front(), "ns/0000@1");
  EXPECT_EQ(names[501], "ns/0501@1");
  EXPECT_EQ(TakeAll(table.Range({}, {}, 0)).size(), 500U);
}

TEST(ObjectTableTest, ALimitedSnapshotCountsTheRest) {
  ObjectTable table;
  for (int i = 0; i < 1000; ++i) table.Put(MakeNamed(fmt::format("ns/{:04}", i), 1));
  ObjectTable::Snapshot some = table.Range({}, Name("ns/0099"), 10);
  EXPECT_EQ(some.remaining(), 900U);
  for (int i = 0; i < 10; ++i) ASSERT_NE(some.Next(), nullptr);
  EXPECT_EQ(some.remaining(), 890U);
}

// After any operations the table and its snapshots equal a std::map.
RC_GTEST_PROP(ObjectTableTest, IsAnOrderedMap, ()) {
  ObjectTable table;
  std::map<ObjectName, Version> model;
  std::vector<std::pair<ObjectTable::Snapshot, Names>> snapshots;
  const int steps = *rc::gen::inRange(0, 2000);
  const int names = *rc::gen::element(3, 50, 1000);
  Random random(*rc::gen::arbitrary<uint64_t>());
  for (int step = 0; step < steps; ++step) {
    const std::string name =
        fmt::format("{}/{}", random.Below(3), random.Below(static_cast<uint64_t>(names)));
    const ObjectTable::Place place = table.Locate(Name(name));
    RC_ASSERT(place.found == model.contains(Name(name)));
    if (random.Below(100) == 0) {
      Names now;
      for (const auto& [key, version] : model) {
        now.push_back(fmt::format("{}/{}@{}", key.namespace_, key.name, version));
      }
      snapshots.emplace_back(table.Range({}, {}, 0), now);
    } else if (place.found && random.Below(2) == 0) {
      table.Erase(place);
      model.erase(Name(name));
    } else {
      table.Put(MakeNamed(name, static_cast<Version>(step)));
      model[Name(name)] = static_cast<Version>(step);
    }
    RC_ASSERT(table.size() == model.size());
  }
  for (const auto& [snapshot, want] : snapshots) RC_ASSERT(TakeAll(snapshot) == want);

  const ObjectName after = Name(fmt::format("1/{}", random.Below(static_cast<uint64_t>(names))));
  Names want;
  for (const auto& [key, version] : model) {
    if (key.namespace_ == "1" && key > after) {
      want.push_back(fmt::format("{}/{}@{}", key.namespace_, key.name, version));
    }
  }
  RC_ASSERT(TakeAll(table.Range("1", after, 0)) == want);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
