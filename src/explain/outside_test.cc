#include "explain/outside.h"

#include <gtest/gtest.h>

#include <string>

#include "api/json/parse.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

api::JsonObject Json(std::string_view text) { return Require(api::ParseJson(text)).get_object(); }

struct Case {
  const char* name;
  const char* pod;
  const char* want;
  const char* event = "";
};

class TroubleTest : public testing::TestWithParam<Case> {};

TEST_P(TroubleTest, IsSaidInASentence) {
  const Case& c = GetParam();
  Events events;
  if (*c.event != '\0') events.push_back(Json(c.event));
  EngineHarness harness;
  harness.Put(MakeNode("n"));
  const auto trouble = TroubleOf(Json(c.pod), events, harness.cluster());
  EXPECT_EQ(trouble ? trouble->text : "", c.want);
}

INSTANTIATE_TEST_SUITE_P(
    Pods, TroubleTest,
    testing::Values(
        Case{"Runs",
             R"({"status":{"containerStatuses":[{"name":"c","ready":true,"state":)"
             R"({"running":{}}}]}})",
             ""},
        Case{"NotReady",
             R"({"status":{"containerStatuses":[{"name":"c","ready":false,"state":)"
             R"({"running":{}}}]}})",
             "Container c runs, but is not ready"},
        Case{"Image",
             R"({"status":{"containerStatuses":[{"name":"c","image":"web:2","state":{"waiting":)"
             R"({"reason":"ImagePullBackOff","message":"not found."}}}]}})",
             "The image web:2 of Container c cannot be pulled: not found"},
        Case{"Crash",
             R"({"status":{"containerStatuses":[{"name":"c","restartCount":7,"state":{"waiting":)"
             R"({"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":137,)"
             R"("reason":"OOMKilled"}}}]}})",
             "Container c is killed again and again because it uses more memory than its node has, "
             "7 restarts so far"},
        Case{"Init",
             R"({"status":{"initContainerStatuses":[{"name":"i","state":{"terminated":)"
             R"({"exitCode":1,"reason":"Error"}}}],"containerStatuses":[{"name":"c","state":)"
             R"({"waiting":{"reason":"PodInitializing"}}}]}})",
             "Init container i failed with exit code 1"},
        Case{
            "Config",
            R"({"status":{"containerStatuses":[{"name":"c","state":{"waiting":{"reason":)"
            R"("CreateContainerConfigError","message":"configmap \"x\" not found"}}}]}})",
            "Container c cannot be started: CreateContainerConfigError: configmap \"x\" not found"},
        Case{"Mount",
             R"({"status":{"containerStatuses":[{"name":"c","state":{"waiting":{"reason":)"
             R"("ContainerCreating"}}}]}})",
             "It cannot be started on its node: secret \"s\" not found",
             R"({"reason":"FailedMount","message":"secret \"s\" not found"})"},
        Case{"Starts",
             R"({"status":{"containerStatuses":[{"name":"c","state":{"waiting":{"reason":)"
             R"("ContainerCreating"}}}]}})",
             ""},
        Case{"Finalizer",
             R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["a.b/c"]}})",
             "It was deleted at 2026-01-01T00:00:00Z, but the finalizer a.b/c keeps it: the "
             "controller that added it has not removed it"},
        Case{"Evicted",
             R"({"status":{"phase":"Failed","reason":"Evicted","message":"low on memory."}})",
             "Its node has evicted it: low on memory"},
        Case{"OutOfMemory",
             R"({"spec":{"containers":[{"name":"c","resources":{"limits":{"memory":"64Mi"}}}]},)"
             R"("status":{"containerStatuses":[{"name":"c","restartCount":2,"state":{"waiting":)"
             R"({"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":137,)"
             R"("reason":"OOMKilled"}}}]}})",
             "Container c is killed again and again because it uses more memory than its limit of "
             "64Mi, 2 restarts so far"},
        Case{"LivenessProbe",
             R"({"status":{"containerStatuses":[{"name":"c","restartCount":3,"state":{"waiting":)"
             R"({"reason":"CrashLoopBackOff"}}}]}})",
             "Container c is restarted again and again because its probe fails, 3 restarts so far: "
             "Liveness probe failed: 500",
             R"({"reason":"Unhealthy","message":"Liveness probe failed: 500"})"},
        Case{"ReadinessProbe",
             R"({"status":{"containerStatuses":[{"name":"c","ready":false,"state":)"
             R"({"running":{}}}]}})",
             "Container c runs, but is not ready: Readiness probe failed: 503",
             R"({"reason":"Unhealthy","message":"Readiness probe failed: 503"})"},
        Case{"Initializing",
             R"({"status":{"initContainerStatuses":[{"name":"i","state":{"running":{}}}],)"
             R"("containerStatuses":[{"name":"c","state":{"waiting":{"reason":)"
             R"("PodInitializing"}}}]}})",
             "Init container i still runs, and the others start when it ends"},
        Case{"Sidecar",
             R"({"spec":{"initContainers":[{"name":"i","restartPolicy":"Always"}]},"status":)"
             R"({"initContainerStatuses":[{"name":"i","ready":true,"state":{"running":{}}}],)"
             R"("containerStatuses":[{"name":"c","ready":true,"state":{"running":{}}}]}})",
             ""},
        Case{"NodeMissing", R"({"spec":{"nodeName":"gone-17"},"status":{"phase":"Pending"}})",
             "Its node gone-17 does not exist"},
        Case{"NotStarted", R"({"spec":{"nodeName":"n"},"status":{"phase":"Pending"}})",
             "It has its place on n, and the kubelet there has not started it yet"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(NodeTroubleTest, ANodeThatDoesNotRespondDecides) {
  EngineHarness harness;
  auto node = MakeNode("n");
  node.object.status.conditions = {{"Ready", "Unknown"}};
  harness.Put(node);
  const auto pod = Json(R"({"spec":{"nodeName":"n"},"status":{"phase":"Running"}})");
  EXPECT_EQ(TroubleOf(pod, {}, harness.cluster())->text, "Its node n does not respond");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
