#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

#include "runtime/embedded/store_connection_testing.h"
#include "runtime/engine_driver.h"
#include "scheduler/model/cluster.h"
#include "testing/await.h"

namespace berth::runtime::embedded {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kTooLarge =
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 "
    "nodes are available: 1 Preemption is not helpful for scheduling.";

Json ConditionOf(const Json& pod, std::string_view type) {
  const auto* status = api::ObjectAt(api::AsObject(pod), "status");
  const auto* conditions = api::ArrayAt(status, "conditions");
  if (conditions == nullptr) return {};
  for (const Json& condition : *conditions) {
    if (api::StringAt(api::AsObject(condition), "type") == type) return condition;
  }
  return {};
}

TEST(EngineDriver, BindsAPodAndTellsSo) {
  EmbeddedCluster world;
  world.Node("n1");
  world.Pod("web");
  world.Run();
  EXPECT_HOLDS(world.Get("pods", "web"),
               "{'spec':{'nodeName':'n1'},'status':{'conditions':[{'type':'PodScheduled',"
               "'status':'True','reason':null}]}}");
  EXPECT_THAT(world.EventsOf("web"),
              ElementsAre("Normal Scheduled: Successfully assigned default/web to n1"));
  const auto snapshot = world.driver->snapshot();
  EXPECT_EQ(snapshot->placed, 1U);
  EXPECT_EQ(snapshot->binds, 1U);
  EXPECT_EQ(snapshot->decision_time.count(), 1U);
  EXPECT_TRUE(snapshot->idle);
}

TEST(EngineDriver, EventsAreWhatEventsK8sIoWants) {
  EmbeddedCluster world;
  world.Node("n1");
  world.Pod("web");
  world.Run();
  const auto events = world.store->List(api::scheme::KindOf("events").collection, {}).objects;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_HOLDS(apiserver::store::Parse(*events[0]),
               "{'metadata':{'namespace':'default'},'action':'Binding',"
               "'eventTime':'2026-01-01T00:00:00.000000Z',"
               "'reportingComponent':'default-scheduler',"
               "'reportingInstance':'default-scheduler-berth',"
               "'involvedObject':{'kind':'Pod','apiVersion':'v1','namespace':'default',"
               "'name':'web'}}");
}

TEST(EngineDriver, APodThatFitsNowhereSaysWhyAndIsBoundWhenItCan) {
  EmbeddedCluster world;
  world.Node("n1", "1");
  world.Pod("big", "2");
  world.Run();
  EXPECT_HOLDS(world.Get("pods", "big"),
               fmt::format("{{'spec':{{'nodeName':null}},'status':{{'conditions':[{{"
                           "'type':'PodScheduled','status':'False','reason':'Unschedulable',"
                           "'message':'{}','lastTransitionTime':'2026-01-01T00:00:00Z',"
                           "'observedGeneration':1}}]}}}}",
                           kTooLarge));
  EXPECT_THAT(world.EventsOf("big"),
              ElementsAre(fmt::format("Warning FailedScheduling: {}", kTooLarge)));
  world.Node("n2", "2");
  world.Run(Duration::Seconds(10));
  EXPECT_EQ(world.NodeOf("big"), "n2");
}

TEST(EngineDriver, WhatIsToldAgainIsASeries) {
  EmbeddedCluster world;
  world.Node("n1", "1");
  world.Pod("big", "3");
  world.Run();
  // Tried again after five minutes and after ten, although nothing has happened. The condition that
  // the first failure wrote has made another version of the pod, of which the second is told.
  world.Run(Duration::Seconds(700));
  EXPECT_THAT(world.EventsOf("big"),
              ElementsAre(fmt::format("Warning FailedScheduling: {}", kTooLarge),
                          fmt::format("Warning FailedScheduling: {} (x2)", kTooLarge)));
}

TEST(EngineDriver, PreemptionEvictsAndThenBinds) {
  EmbeddedCluster world;
  world.Create("priorityclasses.scheduling.k8s.io", "{'metadata':{'name':'high'},'value':1000}");
  world.Node("n1", "2");
  world.Pod("low", "2");
  world.Run();
  ASSERT_EQ(world.NodeOf("low"), "n1");
  world.Pod("urgent", "2", ",'priorityClassName':'high'");
  world.Run();
  EXPECT_HOLDS(world.Get("pods", "urgent"), "{'status':{'nominatedNodeName':'n1'}}");
  const Json victim = world.Get("pods", "low");
  EXPECT_HOLDS(victim, "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:30Z'}}");
  EXPECT_HOLDS(ConditionOf(victim, "DisruptionTarget"),
               "{'status':'True','reason':'PreemptionByScheduler'}");
  EXPECT_EQ(world.NodeOf("urgent"), "");
  EXPECT_EQ(world.driver->snapshot()->evictions, 1U);
  world.Delete("pods", "low");
  world.Run(Duration::Seconds(10));
  EXPECT_EQ(world.NodeOf("urgent"), "n1");
  EXPECT_HOLDS(world.Get("pods", "urgent"), "{'status':{'nominatedNodeName':null}}");
}

TEST(EngineDriver, APodThatHasFinishedMakesRoom) {
  EmbeddedCluster world;
  world.Node("n1", "1");
  world.Pod("first");
  world.Run();
  world.Pod("second");
  world.Run();
  EXPECT_EQ(world.NodeOf("second"), "");
  world.Merge("pods", "first", "{'status':{'phase':'Succeeded'}}", "status");
  world.Run(Duration::Seconds(10));
  EXPECT_EQ(world.NodeOf("second"), "n1");
}

TEST(EngineDriver, GatedPodsWait) {
  EmbeddedCluster world;
  world.Node("n1");
  world.Pod("gated", "1", ",'schedulingGates':[{'name':'later'}]");
  world.Run();
  EXPECT_EQ(world.NodeOf("gated"), "");
  EXPECT_THAT(world.EventsOf("gated"), IsEmpty());
  world.Merge("pods", "gated", "{'spec':{'schedulingGates':null}}");
  world.Run();
  EXPECT_EQ(world.NodeOf("gated"), "n1");
}

// More happens than the store remembers: who was away lists again.
TEST(EngineDriver, CatchesUpWhenTheHistoryIsTooShort) {
  EmbeddedCluster world(4);
  world.Node("n1", "4");
  world.Node("gone");
  world.Pod("a");
  world.Run();
  const auto lists = world.driver->snapshot()->lists;
  if (world.NodeOf("a") == "gone") world.Delete("pods", "a");
  world.Delete("nodes", "gone");
  for (int i = 0; i < 9; ++i) {
    world.Pod(fmt::format("short-{}", i), "3");
    world.Delete("pods", fmt::format("short-{}", i));
    world.Node(fmt::format("short-{}", i));
    world.Delete("nodes", fmt::format("short-{}", i));
  }
  world.Node("n2", "8");
  world.Pod("last", "8");
  world.Run(Duration::Seconds(10));
  EXPECT_EQ(world.driver->snapshot()->lists, lists + 2);
  EXPECT_EQ(world.NodeOf("last"), "n2");
  EXPECT_EQ(world.driver->engine().cluster().nodes().present_count(), 2U);
  EXPECT_EQ(world.driver->snapshot()->decisions(), 2U);
}

// An extender that is asked about the pod gives the test a chance to act in the middle of it.
struct MidFlight {
  static scheduler::engine::EngineOptions WithExtender() {
    scheduler::engine::EngineOptions options = DefaultEngine();
    scheduler::framework::ExtenderConfig extender;
    extender.url_prefix = "http://extender";
    extender.filter_verb = "filter";
    extender.node_cache_capable = true;
    options.extenders.push_back(extender);
    return options;
  }
  scheduler::framework::WriteResult Respond(const scheduler::framework::CallExtender& call) {
    request = call.body;
    if (act) std::exchange(act, nullptr)();
    return {.kind = scheduler::framework::WriteResult::Kind::kOk,
            .message = {},
            .body = R"({"NodeNames":["n1"]})"};
  }
  std::function<void()> act;
  std::string request;
  EmbeddedCluster world{
      50'000, WithExtender(),
      [this](const scheduler::framework::CallExtender& call, auto done) { done(Respond(call)); }};
};

TEST(EngineDriver, APodThatIsDeletedWhileItIsPlacedIsForgotten) {
  MidFlight story;
  story.world.Node("n1", "1");
  story.world.Pod("web");
  story.act = [&] { story.world.Delete("pods", "web"); };
  story.world.Run(Duration::Seconds(10));
  EXPECT_TRUE(story.world.Get("pods", "web").is_null());
  EXPECT_EQ(story.world.driver->snapshot()->refused_binds, 1U);
  // Its room is free again.
  story.world.Pod("next");
  story.world.Run(Duration::Seconds(10));
  EXPECT_EQ(story.world.NodeOf("next"), "n1");
}

TEST(EngineDriver, ExtendersGetPodsAsTheStoreHasThem) {
  MidFlight story;
  story.world.Node("n1", "1");
  story.world.Pod("web");
  story.world.Run(Duration::Seconds(10));
  EXPECT_THAT(story.request, HasSubstr(R"("dnsPolicy":"ClusterFirst")"));
  EXPECT_THAT(story.request, Not(HasSubstr(R"("managedFields")")));
}

TEST(EngineDriver, ANewPodOfTheSameNameIsNotTakenForTheOldOne) {
  MidFlight story;
  story.world.Node("n1", "1");
  story.world.Pod("web");
  story.act = [&] {
    story.world.Delete("pods", "web");
    story.world.Pod("web", "500m");
  };
  story.world.Run(Duration::Seconds(10));
  EXPECT_EQ(story.world.driver->snapshot()->refused_binds, 1U);
  EXPECT_EQ(story.world.driver->snapshot()->binds, 1U);
  EXPECT_EQ(story.world.NodeOf("web"), "n1");
}

TEST(EngineDriver, WhatItCannotReadIsLoggedOnceAndSkipped) {
  EmbeddedCluster world;
  world.Node("broken");
  world.Node("n1");
  const auto spoil = [&](std::string_view cpu) {
    const auto changed =
        world.api.Modify(api::scheme::KindOf("nodes"), {"", "broken"}, [&](Json& node) {
          node.as_object()["status"].as_object()["allocatable"].as_object()["cpu"] = cpu;
          return true;
        });
    ASSERT_TRUE(changed.has_value());
  };
  spoil("4 cores");
  world.Run();
  spoil("5 cores");
  world.Pod("web");
  world.Run();
  ASSERT_EQ(world.log.size(), 1U);
  EXPECT_THAT(world.log[0], ::testing::HasSubstr("Node \"broken\": status.allocatable.cpu"));
  EXPECT_EQ(world.NodeOf("web"), "n1");
}

// Waits until `pod` has a node, woken by the store.
void AwaitBinding(EmbeddedCluster& world, std::string_view pod) {
  struct Bell {
    std::mutex mutex;
    std::condition_variable rung;
    bool woken = false;
  };
  const auto bell = std::make_shared<Bell>();
  const auto cursor = world.store->Watch(api::scheme::KindOf("pods").collection, 0, [bell] {
    const std::lock_guard lock(bell->mutex);
    bell->woken = true;
    bell->rung.notify_one();
  });
  std::vector<apiserver::store::Event> events;
  while (world.NodeOf(pod).empty()) {
    events.clear();
    ASSERT_TRUE(cursor->Read(SIZE_MAX, events));
    if (!events.empty()) continue;
    std::unique_lock lock(bell->mutex);
    ASSERT_TRUE(Await(bell->rung, lock, [&] { return bell->woken; }));
    bell->woken = false;
  }
}

TEST(EngineDriver, WorksOnAThreadOfItsOwn) {
  EmbeddedCluster world;
  world.Node("n1");  // First: without any node the pod would back off, and time stands still.
  world.driver->Start();
  world.Pod("a");
  AwaitBinding(world, "a");
  world.Pod("b");
  AwaitBinding(world, "b");
  world.driver->Stop();
  EXPECT_EQ(world.driver->snapshot()->binds, 2U);
  EXPECT_EQ(world.EventsOf("b").size(), 1U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
