#include "explain/outside.h"

#include <gtest/gtest.h>

#include <string>

#include "api/json/parse.h"
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
  const auto trouble = TroubleOf(Json(c.pod), events);
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
             "Container c ends again and again with exit code 137 (OOMKilled), 7 restarts so far"},
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
             "It is deleted since 2026-01-01T00:00:00Z, and remains until whoever set the "
             "finalizer a.b/c removes it"},
        Case{"Evicted",
             R"({"status":{"phase":"Failed","reason":"Evicted","message":"low on memory."}})",
             "It has failed: Evicted: low on memory"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(AutoscalerTest, ANodeThatIsComingDecides) {
  const Sentence stuck{"No node has 9 cpu free", "x"};
  EXPECT_EQ(WithAutoscaler(stuck, {}).text, stuck.text);
  EXPECT_EQ(
      WithAutoscaler(stuck, {Json(R"({"reason":"TriggeredScaleUp","message":"group a 1->2"})")})
          .text,
      "A node is coming: cluster-autoscaler says \"group a 1->2\"; until then: No node has 9 "
      "cpu free");
  EXPECT_EQ(
      WithAutoscaler(stuck, {Json(R"({"reason":"NotTriggerScaleUp","message":"max size"})")}).text,
      "No node has 9 cpu free, and cluster-autoscaler adds no node: max size");
  EXPECT_EQ(
      WithAutoscaler(stuck, {Json(R"({"reason":"Nominated","message":"should schedule on: x",)"
                                  R"("source":{"component":"karpenter"}})")})
          .text,
      "A node is coming: Karpenter says \"should schedule on: x\"; until then: No node has 9 cpu "
      "free");
  // The scheduler's own events are no news.
  EXPECT_EQ(WithAutoscaler(stuck, {Json(R"({"reason":"FailedScheduling","message":"0/3",)"
                                        R"("source":{"component":"default-scheduler"}})")})
                .text,
            stuck.text);
}

TEST(NotCreatedTest, ConditionsAndEventsSayWhy) {
  const auto deployment = Json(
      R"({"kind":"Deployment","spec":{"replicas":4},"status":{"replicas":2,"conditions":[{"type":)"
      R"("ReplicaFailure","status":"True","message":"exceeded quota: q"}]}})");
  EXPECT_EQ(NotCreated(deployment, {})->text,
            "2 of 4 replicas were not created: exceeded quota: q");
  const auto job = Json(R"({"kind":"Job","status":{}})");
  EXPECT_FALSE(NotCreated(job, {}));
  EXPECT_EQ(NotCreated(job, {Json(R"({"reason":"FailedCreate","message":"forbidden"})")})->text,
            "Its pods were not created: forbidden");
  const auto complete =
      Json(R"({"kind":"Deployment","spec":{"replicas":1},"status":{"replicas":1}})");
  EXPECT_FALSE(NotCreated(complete, {Json(R"({"reason":"FailedCreate","message":"old"})")}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
