#include "runtime/embedded/store_reflector.h"

#include <gmock/gmock.h>

#include "client/watch_events.h"
#include "runtime/embedded/store_connection_testing.h"
#include "scheduler/model/cluster.h"

namespace berth::runtime::embedded {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PodFeed : public ::testing::Test {
 protected:
  // Returns the changes: "+a" for put, "-a" for deleted, "+a!" for created.
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
    cluster.Merge("pods", pod, "{'status':{'phase':'Succeeded'}}", "status");
  }

  EmbeddedCluster cluster{6};
  StoreReflector feed{*cluster.store, api::scheme::KindOf("pods"), client::CodecOf<api::Pod>(),
                      [this] { ++wakes; }, [](const std::string&) {}};
  int wakes = 0;
};

TEST_F(PodFeed, ListsAndThenFollows) {
  cluster.Pod("b");
  cluster.Pod("a");
  EXPECT_THAT(Read(), ElementsAre("+a", "+b"));
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_EQ(wakes, 0);
  cluster.Pod("c");
  EXPECT_EQ(wakes, 1);
  cluster.Merge("pods", "a", "{'metadata':{'labels':{'x':'y'}}}");
  cluster.Delete("pods", "b");
  EXPECT_THAT(Read(2), ElementsAre("+c!", "+a"));
  EXPECT_THAT(Read(2), ElementsAre("-b"));
  EXPECT_EQ(feed.lists(), 1U);
}

TEST_F(PodFeed, FinishedPodsAreGone) {
  cluster.Pod("a");
  cluster.Pod("b");
  Finish("b");
  EXPECT_THAT(Read(), ElementsAre("+a"));
  Finish("a");
  EXPECT_THAT(Read(), ElementsAre("-a"));
  cluster.Delete("pods", "a");
  cluster.Delete("pods", "b");
  EXPECT_THAT(Read(), IsEmpty());
}

TEST_F(PodFeed, AfterAListOnlyTheDifferenceIsReported) {
  for (const char* name : {"changed", "finished", "gone", "renewed", "same"}) cluster.Pod(name);
  EXPECT_EQ(Read().size(), 5U);
  cluster.Merge("pods", "changed", "{'metadata':{'labels':{'x':'y'}}}");
  Finish("finished");
  cluster.Delete("pods", "gone");
  cluster.Delete("pods", "renewed");
  cluster.Pod("renewed");
  cluster.Pod("new");
  cluster.Pod("short");
  cluster.Delete("pods", "short");
  EXPECT_THAT(Read(),
              ElementsAre("-finished", "-gone", "+changed", "+new", "-renewed", "+renewed"));
  EXPECT_EQ(feed.lists(), 2U);
  EXPECT_THAT(Read(), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
