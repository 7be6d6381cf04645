#include "runtime/embedded/store_reflector.h"

#include <gmock/gmock.h>

#include "api/json/decode.h"
#include "runtime/embedded/store_connection_testing.h"
#include "scheduler/model/cluster.h"

namespace berth::runtime::embedded {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result<api::Object> DecodePod(std::string_view json) {
  auto pod = api::DecodeJsonAs<api::Pod>(json);
  if (!pod) return std::unexpected(pod.error());
  return api::Object(*pod);
}

class PodFeed : public ::testing::Test {
 protected:
  // "+a" put, "-a" gone, "+a!" created.
  std::vector<std::string> Read(size_t limit = SIZE_MAX) {
    std::vector<StoreChange> changes;
    feed.Read(limit, changes);
    std::vector<std::string> lines;
    for (const StoreChange& change : changes) {
      const auto* put = std::get_if<api::ObjectPut>(&change.change);
      const api::Object& object =
          put ? put->object : std::get<api::ObjectDeleted>(change.change).object;
      lines.push_back((put ? "+" : "-") + api::MetaOf(object).name + (change.created ? "!" : ""));
    }
    return lines;
  }
  void Finish(std::string_view pod) {
    world.Merge("pods", pod, "{'status':{'phase':'Succeeded'}}", "status");
  }

  EmbeddedCluster world{6};
  StoreReflector feed{*world.store, api::scheme::KindOf("pods"), DecodePod, [this] { ++wakes; },
                      [](const std::string&) {}};
  int wakes = 0;
};

TEST_F(PodFeed, ListsAndThenFollows) {
  world.Pod("b");
  world.Pod("a");
  EXPECT_THAT(Read(), ElementsAre("+a", "+b"));
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_EQ(wakes, 0);
  world.Pod("c");
  EXPECT_EQ(wakes, 1);
  world.Merge("pods", "a", "{'metadata':{'labels':{'x':'y'}}}");
  world.Delete("pods", "b");
  EXPECT_THAT(Read(2), ElementsAre("+c!", "+a"));
  EXPECT_THAT(Read(2), ElementsAre("-b"));
  EXPECT_EQ(feed.lists(), 1U);
}

TEST_F(PodFeed, FinishedPodsAreGone) {
  world.Pod("a");
  world.Pod("b");
  Finish("b");
  EXPECT_THAT(Read(), ElementsAre("+a"));
  Finish("a");
  EXPECT_THAT(Read(), ElementsAre("-a"));
  world.Delete("pods", "a");
  world.Delete("pods", "b");
  EXPECT_THAT(Read(), IsEmpty());
}

TEST_F(PodFeed, AfterAListOnlyTheDifferenceIsTold) {
  for (const char* name : {"changed", "finished", "gone", "renewed", "same"}) world.Pod(name);
  EXPECT_EQ(Read().size(), 5U);
  world.Merge("pods", "changed", "{'metadata':{'labels':{'x':'y'}}}");
  Finish("finished");
  world.Delete("pods", "gone");
  world.Delete("pods", "renewed");
  world.Pod("renewed");
  world.Pod("new");
  world.Pod("short");
  world.Delete("pods", "short");
  EXPECT_THAT(Read(),
              ElementsAre("-finished", "-gone", "+changed", "+new", "-renewed", "+renewed"));
  EXPECT_EQ(feed.lists(), 2U);
  EXPECT_THAT(Read(), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
