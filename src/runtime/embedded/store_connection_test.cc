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

TEST(EngineDriver, BindsAPodAndWritesAnEvent) {
  EmbeddedCluster cluster;
  cluster.Node("n1");
  cluster.Pod("web");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("pods", "web"),
               "{'spec':{'nodeName':'n1'},'status':{'conditions':[{'type':'PodScheduled',"
               "'status':'True','reason':null}]}}");
  EXPECT_THAT(cluster.EventsOf("web"),
              ElementsAre("Normal Scheduled: Successfully assigned default/web to n1"));
  const auto snapshot = cluster.driver->snapshot();
  EXPECT_EQ(snapshot->placed, 1U);
  EXPECT_EQ(snapshot->binds, 1U);
  EXPECT_EQ(snapshot->decision_time.count(), 1U);
  EXPECT_TRUE(snapshot->idle);
}

TEST(EngineDriver, EventsAreWhatEventsK8sIoWants) {
  EmbeddedCluster cluster;
  cluster.Node("n1");
  cluster.Pod("web");
  cluster.Run();
  const auto events = cluster.store->List(api::scheme::KindOf("events").collection, {}).objects;
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
  EmbeddedCluster cluster;
  cluster.Node("n1", "1");
  cluster.Pod("big", "2");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("pods", "big"),
               fmt::format("{{'spec':{{'nodeName':null}},'status':{{'conditions':[{{"
                           "'type':'PodScheduled','status':'False','reason':'Unschedulable',"
                           "'message':'{}','lastTransitionTime':'2026-01-01T00:00:00Z',"
                           "'observedGeneration':1}}]}}}}",
                           kTooLarge));
  EXPECT_THAT(cluster.EventsOf("big"),
              ElementsAre(fmt::format("Warning FailedScheduling: {}", kTooLarge)));
  cluster.Node("n2", "2");
  cluster.Run(Duration::Seconds(10));
  EXPECT_EQ(cluster.NodeOf("big"), "n2");
}

TEST(EngineDriver, ARepeatedEventIsASeries) {
  EmbeddedCluster cluster;
  cluster.Node("n1", "1");
  cluster.Pod("big", "3");
  cluster.Run();
  // The pod is tried again after five and ten minutes, although nothing changed. The condition that
  // the first failure wrote created a new version of the pod, which the second event refers to.
  cluster.Run(Duration::Seconds(700));
  EXPECT_THAT(cluster.EventsOf("big"),
              ElementsAre(fmt::format("Warning FailedScheduling: {}", kTooLarge),
                          fmt::format("Warning FailedScheduling: {} (x2)", kTooLarge)));
}

TEST(EngineDriver, PreemptionEvictsAndThenBinds) {
  EmbeddedCluster cluster;
  cluster.Create("priorityclasses.scheduling.k8s.io", "{'metadata':{'name':'high'},'value':1000}");
  cluster.Node("n1", "2");
  cluster.Pod("low", "2");
  cluster.Run();
  ASSERT_EQ(cluster.NodeOf("low"), "n1");
  cluster.Pod("urgent", "2", ",'priorityClassName':'high'");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("pods", "urgent"), "{'status':{'nominatedNodeName':'n1'}}");
  const Json victim = cluster.Get("pods", "low");
  EXPECT_HOLDS(victim, "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:30Z'}}");
  EXPECT_HOLDS(ConditionOf(victim, "DisruptionTarget"),
               "{'status':'True','reason':'PreemptionByScheduler'}");
  EXPECT_EQ(cluster.NodeOf("urgent"), "");
  EXPECT_EQ(cluster.driver->snapshot()->evictions, 1U);
  cluster.Delete("pods", "low");
  cluster.Run(Duration::Seconds(10));
  EXPECT_EQ(cluster.NodeOf("urgent"), "n1");
  EXPECT_HOLDS(cluster.Get("pods", "urgent"), "{'status':{'nominatedNodeName':null}}");
}

TEST(EngineDriver, AFinishedPodFreesItsCapacity) {
  EmbeddedCluster cluster;
  cluster.Node("n1", "1");
  cluster.Pod("first");
  cluster.Run();
  cluster.Pod("second");
  cluster.Run();
  EXPECT_EQ(cluster.NodeOf("second"), "");
  cluster.Merge("pods", "first", "{'status':{'phase':'Succeeded'}}", "status");
  cluster.Run(Duration::Seconds(10));
  EXPECT_EQ(cluster.NodeOf("second"), "n1");
}

TEST(EngineDriver, GatedPodsWait) {
  EmbeddedCluster cluster;
  cluster.Node("n1");
  cluster.Pod("gated", "1", ",'schedulingGates':[{'name':'later'}]");
  cluster.Run();
  EXPECT_EQ(cluster.NodeOf("gated"), "");
  EXPECT_THAT(cluster.EventsOf("gated"), IsEmpty());
  cluster.Merge("pods", "gated", "{'spec':{'schedulingGates':null}}");
  cluster.Run();
  EXPECT_EQ(cluster.NodeOf("gated"), "n1");
}

// More happens than the history of the store contains: the reflector lists again.
TEST(EngineDriver, CatchesUpWhenTheHistoryIsTooShort) {
  EmbeddedCluster cluster(4);
  cluster.Node("n1", "4");
  cluster.Node("gone");
  cluster.Pod("a");
  cluster.Run();
  const auto lists = cluster.driver->snapshot()->lists;
  if (cluster.NodeOf("a") == "gone") cluster.Delete("pods", "a");
  cluster.Delete("nodes", "gone");
  for (int i = 0; i < 9; ++i) {
    cluster.Pod(fmt::format("short-{}", i), "3");
    cluster.Delete("pods", fmt::format("short-{}", i));
    cluster.Node(fmt::format("short-{}", i));
    cluster.Delete("nodes", fmt::format("short-{}", i));
  }
  cluster.Node("n2", "8");
  cluster.Pod("last", "8");
  cluster.Run(Duration::Seconds(10));
  EXPECT_EQ(cluster.driver->snapshot()->lists, lists + 2);
  EXPECT_EQ(cluster.NodeOf("last"), "n2");
  EXPECT_EQ(cluster.driver->engine().cluster().nodes().present_count(), 2U);
  EXPECT_EQ(cluster.driver->snapshot()->decisions(), 2U);
}

// MidFlight calls `act` when the engine calls its extender, in the middle of a scheduling cycle.
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
  EmbeddedCluster cluster{
      50'000, WithExtender(),
      [this](const scheduler::framework::CallExtender& call, auto done) { done(Respond(call)); }};
};

TEST(EngineDriver, APodThatIsDeletedWhileItIsPlacedIsForgotten) {
  MidFlight mid_flight;
  mid_flight.cluster.Node("n1", "1");
  mid_flight.cluster.Pod("web");
  mid_flight.act = [&] { mid_flight.cluster.Delete("pods", "web"); };
  mid_flight.cluster.Run(Duration::Seconds(10));
  EXPECT_TRUE(mid_flight.cluster.Get("pods", "web").is_null());
  EXPECT_EQ(mid_flight.cluster.driver->snapshot()->refused_binds, 1U);
  // The capacity that it used is free again.
  mid_flight.cluster.Pod("next");
  mid_flight.cluster.Run(Duration::Seconds(10));
  EXPECT_EQ(mid_flight.cluster.NodeOf("next"), "n1");
}

TEST(EngineDriver, ExtendersGetPodsAsTheStoreHasThem) {
  MidFlight mid_flight;
  mid_flight.cluster.Node("n1", "1");
  mid_flight.cluster.Pod("web");
  mid_flight.cluster.Run(Duration::Seconds(10));
  EXPECT_THAT(mid_flight.request, HasSubstr(R"("dnsPolicy":"ClusterFirst")"));
  EXPECT_THAT(mid_flight.request, Not(HasSubstr(R"("managedFields")")));
}

TEST(EngineDriver, ANewPodOfTheSameNameIsNotTakenForTheOldOne) {
  MidFlight mid_flight;
  mid_flight.cluster.Node("n1", "1");
  mid_flight.cluster.Pod("web");
  mid_flight.act = [&] {
    mid_flight.cluster.Delete("pods", "web");
    mid_flight.cluster.Pod("web", "500m");
  };
  mid_flight.cluster.Run(Duration::Seconds(10));
  EXPECT_EQ(mid_flight.cluster.driver->snapshot()->refused_binds, 1U);
  EXPECT_EQ(mid_flight.cluster.driver->snapshot()->binds, 1U);
  EXPECT_EQ(mid_flight.cluster.NodeOf("web"), "n1");
}

TEST(EngineDriver, WhatItCannotReadIsLoggedOnceAndLeftOut) {
  EmbeddedCluster cluster;
  cluster.Node("broken");
  cluster.Node("n1");
  const auto spoil = [&](std::string_view cpu) {
    const auto changed =
        cluster.api.Modify(api::scheme::KindOf("nodes"), {"", "broken"}, [&](Json& node) {
          node.as_object()["status"].as_object()["allocatable"].as_object()["cpu"] = cpu;
          return true;
        });
    ASSERT_TRUE(changed.has_value());
  };
  spoil("4 cores");
  cluster.Run();
  spoil("5 cores");
  cluster.Pod("web");
  cluster.Run();
  ASSERT_EQ(cluster.log.size(), 1U);
  EXPECT_THAT(cluster.log[0],
              ::testing::HasSubstr("status.allocatable.cpu: invalid quantity \"4 cores\""));
  EXPECT_EQ(cluster.NodeOf("web"), "n1");
}

// Waits until `pod` is bound; a watch of the store wakes it.
void AwaitBinding(EmbeddedCluster& cluster, std::string_view pod) {
  struct Bell {
    std::mutex mutex;
    std::condition_variable rung;
    bool woken = false;
  };
  const auto bell = std::make_shared<Bell>();
  const auto cursor = cluster.store->Watch(api::scheme::KindOf("pods").collection, 0, [bell] {
    const std::lock_guard lock(bell->mutex);
    bell->woken = true;
    bell->rung.notify_one();
  });
  std::vector<apiserver::store::Event> events;
  while (cluster.NodeOf(pod).empty()) {
    events.clear();
    ASSERT_TRUE(cursor->Read(SIZE_MAX, events));
    if (!events.empty()) continue;
    std::unique_lock lock(bell->mutex);
    ASSERT_TRUE(Await(bell->rung, lock, [&] { return bell->woken; }));
    bell->woken = false;
  }
}

TEST(EngineDriver, WorksOnAThreadOfItsOwn) {
  EmbeddedCluster cluster;
  cluster.Node(
      "n1");  // First: without any node the pod would back off, and the clock stands still.
  cluster.driver->Start();
  cluster.Pod("a");
  AwaitBinding(cluster, "a");
  cluster.Pod("b");
  AwaitBinding(cluster, "b");
  cluster.driver->Stop();
  EXPECT_EQ(cluster.driver->snapshot()->binds, 2U);
  EXPECT_EQ(cluster.EventsOf("b").size(), 1U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
