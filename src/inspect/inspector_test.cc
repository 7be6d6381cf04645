#include "inspect/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "explain/pod_explanation.h"
#include "explain/pod_explanation_json.h"
#include "inspect/group_sentences.h"
#include "inspect/inspector_testing.h"

namespace berth::inspect {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

// Returns the part at `path`, members and indexes separated by slashes, as JSON.
std::string At(const api::JsonObject& document, std::string_view path) {
  boost::system::error_code error;
  const api::Json whole = document;
  const api::Json* found = whole.find_pointer("/" + std::string(path), error);
  return found == nullptr ? "absent" : api::ToJsonText(*found);
}

class InspectorTest : public testing::Test {
 protected:
  // Two nodes of zones, one without; a pod that is bound, and pending ones of several kinds.
  void PutCluster() {
    engine_.Put(MakeNode("b").Zone("z1").Label("kubernetes.io/hostname", "b"));
    engine_.Put(MakeNode("a").Zone("z2").Label("kubernetes.io/hostname", "a").Cordoned());
    engine_.Put(MakeNode("c").Taint("gpu", "yes", "NoSchedule").Offer("example.com/gpu", "4"));
    engine_.Put(MakePod("runs").Request("cpu", "1").On("b"));
    engine_.Put(MakePod("big").Request("cpu", "7").Priority(5));
    engine_.Put(MakePod("gated").Gate("example.com/g"));
    engine_.Put(MakePod("other").Scheduler("another"));
    engine_.Schedule();
  }
  std::string Get(const std::string& target, std::string_view path) {
    return At(engine_.Json(target), path);
  }

  InspectedEngine engine_;
};

TEST_F(InspectorTest, DescribesTheCluster) {
  PutCluster();
  const api::JsonObject cluster = engine_.Json("cluster");
  EXPECT_EQ(At(cluster, "kind"), R"("Cluster")");
  EXPECT_EQ(At(cluster, "counts"), R"({"nodes":3,"pods":4,"pending":3})");
  EXPECT_EQ(At(cluster, "schedulers"), R"(["default-scheduler"])");
  EXPECT_EQ(At(cluster, "resources/0"), R"({"name":"cpu","unit":"cores"})");
  EXPECT_EQ(At(cluster, "resources/4"), R"({"name":"example.com/gpu","unit":"count"})");
  EXPECT_EQ(At(cluster, "topologyKeys"),
            R"({"zone":"topology.kubernetes.io/zone","rack":"","pool":""})");
  EXPECT_EQ(At(cluster, "taints"), R"(["gpu=yes:NoSchedule"])");
  EXPECT_EQ(At(cluster, "features"), R"({"ledger":false,"whatIf":true,"live":true})");
}

TEST_F(InspectorTest, TheMapHasColumnsInTheOrderOfNames) {
  PutCluster();
  const api::JsonObject map = engine_.Json("nodes");
  EXPECT_EQ(At(map, "names"), R"(["a","b","c"])");
  EXPECT_EQ(At(map, "zones"),
            R"({"key":"topology.kubernetes.io/zone","values":["z2","z1"],"of":[0,1,-1]})");
  EXPECT_EQ(At(map, "resources/cpu"), R"({"allocatable":[4000,4000,4000],"requested":[0,1000,0]})");
  EXPECT_EQ(At(map, "resources/example.com~1gpu/allocatable"), "[0,0,4]");
  EXPECT_EQ(At(map, "pods"), "[0,1,0]");
  EXPECT_EQ(At(map, "flags"), "[1,0,4]");
  EXPECT_EQ(At(map, "labels/of"), "[0,1,2]");
  EXPECT_EQ(At(map, "labels/sets/0"), R"({"topology.kubernetes.io/zone":"z2"})");
  EXPECT_EQ(At(map, "taints"), R"({"sets":[[],["gpu=yes:NoSchedule"]],"of":[0,0,1]})");
  EXPECT_EQ(At(map, "continue"), "absent");
}

TEST_F(InspectorTest, PagesOfTheMapExpireWhenNodesChange) {
  PutCluster();
  const api::JsonObject first = engine_.Json("nodes?limit=2");
  EXPECT_EQ(At(first, "names"), R"(["a","b"])");
  EXPECT_EQ(At(first, "total"), "3");
  const std::string token(api::StringAt(&first, "continue"));
  const api::JsonObject second = engine_.Json("nodes?limit=2&continue=" + token);
  EXPECT_EQ(At(second, "first"), "2");
  EXPECT_EQ(At(second, "names"), R"(["c"])");
  engine_.Put(MakeNode("d"));
  EXPECT_EQ(engine_.Get("nodes?limit=2&continue=" + token).status, 410);
}

TEST_F(InspectorTest, ANodeHasItsPods) {
  PutCluster();
  engine_.Put(MakePod("web").Request("cpu", "500m"));
  engine_.Schedule();
  const api::JsonObject node = engine_.Json("nodes/b");
  EXPECT_EQ(At(node, "zone"), R"("z1")");
  EXPECT_EQ(At(node, "resources/cpu"), R"({"allocatable":4000,"requested":1500})");
  EXPECT_EQ(At(node, "pods/0/name"), R"("runs")");
  EXPECT_EQ(At(node, "pods/0/state"), R"("bound")");
  EXPECT_EQ(At(node, "pods/0/requests"), R"({"cpu":1000})");
  EXPECT_EQ(At(node, "pods/1/state"), R"("assumed")");
  EXPECT_EQ(Get("nodes", "assumed"), "[0,1,0]");
  const Response missing = engine_.Get("nodes/x%2F%3Cb%3E");
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.body, HasSubstr(R"(nodes \"x/<b>\" not found)"));
}

TEST_F(InspectorTest, PodsAreListedWithTheirQueues) {
  PutCluster();
  const api::JsonObject list = engine_.Json("pods?sort=name");
  EXPECT_EQ(At(list, "total"), "3");
  EXPECT_EQ(At(list, "items/0/name"), R"("big")");
  EXPECT_EQ(At(list, "items/0/queue"), R"("unschedulable")");
  EXPECT_EQ(At(list, "items/0/attempts"), "1");
  EXPECT_THAT(At(list, "items/0/plugins"), HasSubstr("NodeResourcesFit"));
  EXPECT_EQ(At(list, "items/1/queue"), R"("gated")");
  EXPECT_EQ(At(list, "items/1/plugins"), R"(["SchedulingGates"])");
  EXPECT_EQ(At(list, "items/2/queue"), "absent");
  EXPECT_EQ(Get("pods?queue=gated", "total"), "1");
  EXPECT_EQ(Get("pods?plugin=NodeResourcesFit", "items/0/name"), R"("big")");
  EXPECT_EQ(Get("pods?sort=priority&limit=1", "items/0/name"), R"("big")");
  EXPECT_EQ(Get("pods?sort=name&limit=1&continue=0.1", "items/0/name"), R"("gated")");
  EXPECT_EQ(Get("pods?namespace=default&name=runs", "items/0/node"), R"("b")");
  EXPECT_EQ(Get("pods?namespace=elsewhere", "total"), "0");
}

TEST_F(InspectorTest, PodsThatBackOffHaveATimeOfTheNextAttempt) {
  PutCluster();
  engine_.Put(MakeNode("d").Cpu("8"));
  const api::JsonObject list = engine_.Json("pods?name=big");
  EXPECT_EQ(At(list, "items/0/queue"), R"("backoff")");
  EXPECT_EQ(At(list, "items/0/nextAttempt"), R"("1970-01-12T13:46:41.000000Z")");
}

TEST_F(InspectorTest, ExplainsAsBerthWhyDoes) {
  PutCluster();
  for (const char* name : {"big", "gated", "other", "runs"}) {
    const auto& cluster = engine_.engine().cluster();
    const auto pod = cluster.pod(cluster.pods().Find("default", name)).object;
    const auto expected = Require(explain::ExplainPod(engine_.engine(), pod, "default-scheduler",
                                                      engine_.now(), {.fixes = false}));
    EXPECT_EQ(api::ToJsonText(engine_.Json(std::string("pods/default/") + name)),
              api::ToJsonText(explain::ToJson(expected)))
        << name;
  }
  const Response missing = engine_.Get("pods/default/nobody");
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.body, HasSubstr(R"(pods \"nobody\" not found in namespace \"default\")"));
}

TEST_F(InspectorTest, ExplainingChangesNothing) {
  PutCluster();
  const std::string before = api::ToJsonText(engine_.Json("nodes"));
  engine_.Json("pods/default/big/fixes");
  engine_.Json("pods/default/runs");
  engine_.Json("pods/default/runs/matrix");
  EXPECT_EQ(api::ToJsonText(engine_.Json("nodes")), before);
}

TEST_F(InspectorTest, AFixIsTriedAsItWasRead) {
  PutCluster();
  const api::JsonObject fixes = engine_.Json("pods/default/big/fixes");
  EXPECT_EQ(At(fixes, "kind"), R"("PodFixes")");
  ASSERT_NE(At(fixes, "fixes/list/0"), "absent");
  const std::string revision(api::StringAt(&fixes, "revision"));
  const std::string path = "pods/default/big/fixes/1/try?revision=";
  EXPECT_EQ(Get(path + revision, "decision/outcome"), R"("Fits")");
  EXPECT_EQ(Get("pods/default/big", "decision/outcome"), R"("Unschedulable")");
  EXPECT_EQ(engine_.Get(path).status, 409);
  EXPECT_EQ(engine_.Get(path + "77").status, 409);
  for (const char* number : {"0", "99", "x", "-1", "%20", "1e0"}) {
    EXPECT_EQ(
        engine_.Get("pods/default/big/fixes/" + std::string(number) + "/try?revision=" + revision)
            .status,
        404)
        << number;
  }
  // Another pod of that name has other fixes.
  engine_.Put(MakePod("big").Uid("another").Request("cpu", "7"));
  EXPECT_EQ(engine_.Get(path + revision).status, 409);
}

TEST_F(InspectorTest, APodThatFitsNeedsNoFixes) {
  PutCluster();
  EXPECT_EQ(Get("pods/default/runs/fixes", "fixes"),
            R"({"complete":true,"decisions":0,"list":[]})");
}

TEST_F(InspectorTest, TheMatrixHasNodesAndPlugins) {
  PutCluster();
  const api::JsonObject matrix = engine_.Json("pods/default/runs/matrix");
  EXPECT_EQ(At(matrix, "nodes"), R"(["a","b","c"])");
  EXPECT_EQ(At(matrix, "feasible"), "1");
  EXPECT_EQ(At(matrix, "plugins/0"), R"("NodeUnschedulable")");
  EXPECT_EQ(At(matrix, "rejectedBy/0"), "0");
  EXPECT_EQ(At(matrix, "rejectedBy/1"), "-1");
  EXPECT_EQ(At(matrix, "reason/1"), "-1");
  EXPECT_EQ(At(matrix, "totals/0"), "null");
  EXPECT_THAT(At(matrix, "totals/1"), Not(HasSubstr("null")));
  EXPECT_EQ(At(matrix, "weights/TaintToleration"), "3");
}

TEST_F(InspectorTest, PagesOfTheMatrixAreOfOneDecision) {
  PutCluster();
  const api::JsonObject first = engine_.Json("pods/default/runs/matrix?limit=1");
  const std::string token(api::StringAt(&first, "continue"));
  const std::string next = "pods/default/runs/matrix?limit=1&continue=";
  EXPECT_EQ(Get(next + token, "nodes"), R"(["b"])");
  engine_.Json("pods/default/runs/matrix?limit=1");
  EXPECT_EQ(engine_.Get(next + token).status, 410);
  EXPECT_EQ(engine_.Get("pods/default/nobody/matrix?continue=0.1").status, 410);
}

// Many groups get their sentences by and by, the largest first.
TEST_F(InspectorTest, ARequestFindsAFewSentencesOfGroups) {
  constexpr size_t kGroups = GroupSentences::kPerRequest + 3;
  for (size_t i = 0; i < kGroups; ++i) {
    engine_.Put(MakePod("stuck" + std::to_string(i)).NodeSelector("disk", std::to_string(i)));
  }
  engine_.Schedule();
  const auto known = [&] {
    const api::JsonObject queue = engine_.Json("queue");
    size_t sentences = 0;
    for (size_t i = 0; i < kGroups; ++i) {
      sentences += At(queue, "groups/" + std::to_string(i) + "/sentence") != "absent";
    }
    return sentences;
  };
  EXPECT_EQ(known(), GroupSentences::kPerRequest);
  EXPECT_EQ(known(), kGroups);
}

TEST_F(InspectorTest, TheQueueHasGroupsAgesAndPriorities) {
  PutCluster();
  const api::JsonObject queue = engine_.Json("queue");
  EXPECT_EQ(At(queue, "counts"),
            R"({"active":0,"backoff":0,"unschedulable":1,"gated":1,"inFlight":0,"waiting":0})");
  EXPECT_EQ(At(queue, "groups/0/group"), R"("default/big")");
  EXPECT_THAT(At(queue, "groups/0/waitsFor"), HasSubstr("Node/Add"));
  // As berth why says it.
  const api::JsonObject pod = engine_.Json("pods/default/big");
  EXPECT_NE(At(pod, "sentence"), "absent");
  EXPECT_EQ(At(queue, "groups/0/sentence"), At(pod, "sentence"));
  EXPECT_EQ(At(queue, "groups/1/sentence"),
            R"("It waits until its scheduling gate example.com/g is removed, by the controller that )"
            R"(added it")");
  EXPECT_EQ(At(queue, "groups/1/waitsFor"), R"(["removal of the scheduling gate example.com/g"])");
  EXPECT_EQ(At(queue, "priorities/0/priority"), "5");
  EXPECT_EQ(At(queue, "oldest/1/name"), R"("gated")");
  EXPECT_EQ(At(queue, "ages/counts/gated"), "[0,0,0,0,0,1]");
}

TEST_F(InspectorTest, MovesAreThoseBetweenTwoSnapshots) {
  PutCluster();
  engine_.Json("queue");
  engine_.Pass(Duration::Seconds(2));
  engine_.Put(MakePod("web"));
  engine_.Schedule();
  engine_.EndBinds(true);
  engine_.Put(MakePod("gated"));
  engine_.Remove(MakePod("big"));
  const api::JsonObject queue = engine_.Json("queue");
  EXPECT_EQ(At(queue, "interval"), "2");
  EXPECT_EQ(At(queue, "moves"), R"([{"from":"active","to":"inFlight","count":1},)"
                                R"({"from":"unschedulable","to":"deleted","count":1},)"
                                R"({"from":"gated","to":"active","count":1},)"
                                R"({"from":"inFlight","to":"bound","count":1},)"
                                R"({"from":"new","to":"active","count":1}])");
}

TEST_F(InspectorTest, SearchFindsPodsAndNodes) {
  PutCluster();
  const api::JsonObject found = engine_.Json("search?q=B");
  EXPECT_EQ(At(found, "pods"), R"([{"namespace":"default","name":"big","queue":"unschedulable"}])");
  EXPECT_EQ(At(found, "nodes"), R"(["b"])");
  EXPECT_EQ(Get("search?q=default/ru", "pods/0/node"), R"("b")");
  EXPECT_EQ(Get("search?q=default&limit=2", "pods/2"), "absent");
}

TEST_F(InspectorTest, WithoutALedgerNothingIsRemembered) {
  PutCluster();
  EXPECT_EQ(Get("attempts", "items"), "[]");
  EXPECT_EQ(Get("activity?window=60", "binds"), "[]");
}

TEST_F(InspectorTest, HostileRequestsAreRefused) {
  PutCluster();
  struct Case {
    const char* target;
    int status;
  };
  const Case cases[] = {
      {"", 404},
      {"secrets", 404},
      {"cluster/x", 404},
      {"cluster/", 200},
      {"nodes/", 200},
      {"nodes/../../metrics", 404},
      {"nodes/..%2F..%2Fetc%2Fpasswd", 404},
      {"nodes/%00", 404},
      {"nodes/%F0%9F%92%A9", 404},
      {"nodes/%ff", 400},
      {"pods/default", 404},
      {"pods//", 404},
      {"pods/default/big/secrets", 404},
      {"pods/default/big/fixes/1", 404},
      {"pods/default/big/fixes/1/apply", 404},
      {"pods/default/%3Cscript%3E", 404},
      {"pods?limit=99999999999999999999", 400},
      {"pods?limit=4294967297", 200},
      {"pods?limit=-5", 400},
      {"pods?continue=0.18446744073709551615", 200},
      {"pods?continue=%00", 400},
      {"pods?queue=%3Cb%3E", 400},
      {"pods?sort=random", 400},
      {"nodes?continue=1.1", 410},
      {"search?q=%ff", 400},
      {"search?limit=0", 400},
      {"attempts?pod=nobody", 400},
      {"attempts?pod=/x", 400},
      {"attempts?outcome=lucky", 400},
      {"attempts?before=x", 400},
      {"activity?window=x", 400},
      {"activity?window=99999999", 200},
  };
  for (const Case& c : cases) {
    const Response response = engine_.Get(c.target);
    EXPECT_EQ(response.status, c.status) << c.target;
    EXPECT_TRUE(api::ParseJson(response.body).has_value()) << c.target;
  }
}

TEST_F(InspectorTest, StringsOfUsersAreOnlyStrings) {
  constexpr const char* kMarkup = "<img src=x onerror=\"alert(1)\">\n\x01";
  engine_.Put(MakeNode("n").Label("markup", kMarkup).Taint("k", kMarkup, "NoSchedule"));
  engine_.Put(MakePod("p").Gate(kMarkup));
  for (const char* target : {"nodes", "nodes/n", "cluster", "queue", "pods", "pods/default/p"}) {
    const Response response = engine_.Get(target);
    EXPECT_EQ(response.status, 200);
    EXPECT_TRUE(api::ParseJson(response.body).has_value()) << target;
  }
  const api::JsonObject node = engine_.Json("nodes/n");
  EXPECT_EQ(api::StringAt(api::ObjectAt(&node, "labels"), "markup"), kMarkup);
}

TEST_F(InspectorTest, AStoppedEngineIsUnavailable) {
  engine_.StopEngine();
  EXPECT_EQ(engine_.Get("cluster").status, 503);
  EXPECT_EQ(engine_.Get("attempts").status, 200);
}

TEST_F(InspectorTest, TheMirrorIsDroppedWhenNobodyAsks) {
  PutCluster();
  engine_.Json("cluster");
  EXPECT_TRUE(engine_.log().Take().has_value());
  engine_.inspector().DropIfIdle();
  EXPECT_TRUE(engine_.log().Take().has_value());
  engine_.Pass(Inspector::kIdleTime);
  engine_.inspector().DropIfIdle();
  EXPECT_FALSE(engine_.log().Take().has_value());
  EXPECT_EQ(Get("cluster", "counts/nodes"), "3");
}

TEST_F(InspectorTest, NodeEventsHaveTheRowsThatChanged) {
  PutCluster();
  Inspector::Position position;
  // A client that has just read the map gets the last changes.
  EXPECT_TRUE(engine_.inspector().NodeDelta(position).has_value());
  EXPECT_FALSE(engine_.inspector().NodeDelta(position).has_value());
  engine_.Put(MakePod("late").Request("cpu", "1").On("c"));
  const auto delta = engine_.inspector().NodeDelta(position);
  ASSERT_TRUE(delta.has_value());
  EXPECT_EQ(At(*delta, "rows"), "[2]");
  EXPECT_EQ(At(*delta, "pods"), "[1]");
  EXPECT_EQ(At(*delta, "requested/cpu"), "[1000]");
  EXPECT_EQ(At(*delta, "reset"), "absent");
  engine_.Remove(MakeNode("a"));
  const auto reset = engine_.inspector().NodeDelta(position);
  ASSERT_TRUE(reset.has_value());
  EXPECT_EQ(At(*reset, "reset"), "true");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::inspect
