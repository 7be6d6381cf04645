#include "client/object_cache.h"

#include <gmock/gmock.h>

#include <memory>
#include <sstream>
#include <string>

namespace berth::client {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Parses "name uid version" or "name uid version Succeeded".
api::Object Pod(const std::string& text) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.namespace_ = "default";
  std::istringstream words(text);
  words >> pod->metadata.name >> pod->metadata.uid >> pod->metadata.resource_version >>
      pod->status.phase;
  return api::Ref<api::Pod>(pod);
}

ObjectList List(const std::vector<std::string>& texts) {
  ObjectList list;
  for (const std::string& text : texts) list.objects.push_back(Pod(text));
  return list;
}

class ObjectCacheTest : public ::testing::Test {
 protected:
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    for (const api::ObjectChange& event : std::exchange(events, {})) {
      const auto* put = std::get_if<api::ObjectPut>(&event);
      const api::ObjectMeta& meta =
          api::MetaOf(put ? put->object : std::get<api::ObjectDeleted>(event).object);
      lines.push_back((put ? "+" : "-") + meta.name + " " + meta.uid + " " + meta.resource_version);
    }
    return lines;
  }
  std::vector<std::string> Put(const std::string& text) {
    cache.Put(Pod(text), events);
    return Lines();
  }
  std::vector<std::string> Replace(ObjectList list) {
    cache.Replace(std::move(list), events);
    return Lines();
  }

  ObjectCache cache;
  std::vector<api::ObjectChange> events;
};

TEST_F(ObjectCacheTest, ReportsAVersionOnce) {
  EXPECT_THAT(Put("a u1 1"), ElementsAre("+a u1 1"));
  EXPECT_THAT(Put("a u1 1"), IsEmpty());
  EXPECT_THAT(Put("a u1 2"), ElementsAre("+a u1 2"));
  EXPECT_EQ(cache.size(), 1U);
}

TEST_F(ObjectCacheTest, TheSameNameWithAnotherUidIsAnotherObject) {
  Put("a u1 1");
  EXPECT_THAT(Put("a u2 2"), ElementsAre("-a u1 1", "+a u2 2"));
}

TEST_F(ObjectCacheTest, FinishedPodsCountAsDeleted) {
  EXPECT_THAT(Put("a u1 1 Failed"), IsEmpty());
  Put("b u2 2 Running");
  EXPECT_THAT(Put("b u2 3 Succeeded"), ElementsAre("-b u2 2"));
  EXPECT_THAT(Put("b u2 4 Succeeded"), IsEmpty());
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(ObjectCacheTest, UnreportedObjectsAreNotReportedAsDeleted) {
  cache.Gone("default", "a", events);
  EXPECT_THAT(Lines(), IsEmpty());
  Put("a u1 1");
  cache.Gone("default", "a", events);
  EXPECT_THAT(Lines(), ElementsAre("-a u1 1"));
  EXPECT_EQ(cache.Find("default", "a"), nullptr);
}

TEST_F(ObjectCacheTest, AListReportsTheDifference) {
  EXPECT_THAT(Replace(List({"same u1 1", "changed u2 2", "renewed u3 3", "z u4 4", "gone u5 5",
                            "finished u6 6"})),
              ElementsAre("+same u1 1", "+changed u2 2", "+renewed u3 3", "+z u4 4", "+gone u5 5",
                          "+finished u6 6"));
  EXPECT_THAT(Replace(List({"new u9 9", "same u1 1", "changed u2 7", "renewed u8 8",
                            "finished u6 9 Succeeded"})),
              ElementsAre("-finished u6 6", "-gone u5 5", "-z u4 4", "+new u9 9", "+changed u2 7",
                          "-renewed u3 3", "+renewed u8 8"));
  EXPECT_EQ(cache.size(), 4U);
}

TEST_F(ObjectCacheTest, UnreadableObjectsRetainTheirReportedVersion) {
  Replace(List({"a u1 1", "b u2 2"}));
  ObjectList list = List({"b u2 2"});
  list.unreadable.push_back({"default", "a"});
  EXPECT_THAT(Replace(std::move(list)), IsEmpty());
  EXPECT_NE(cache.Find("default", "a"), nullptr);
}

TEST_F(ObjectCacheTest, SharesUnchangedObjects) {
  Put("a u1 1");
  const api::Object* known = cache.Find("default", "a");
  EXPECT_EQ(cache.Share(Pod("a u1 1")), *known);
  EXPECT_NE(cache.Share(Pod("a u1 2")), *known);
  EXPECT_NE(cache.Share(Pod("a u2 1")), *known);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
