// PodGroups and Workloads, which are served behind feature gates.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "api/json/view.h"
#include "api/scheme/kind_set.h"
#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

constexpr std::string_view kGroups = "podgroups.scheduling.k8s.io";
constexpr std::string_view kWorkloads = "workloads.scheduling.k8s.io";
constexpr admission::WorkloadGates kAllOn{true, true, true};

class WorkloadsTest : public testing::Test {
 protected:
  void Start(const admission::WorkloadGates& gates) {
    api_.emplace(*fixture_.store, fixture_.clock, 2, gates);
  }
  api::scheme::ApiResult<Written> Create(std::string_view kind, std::string_view text) {
    return api_->Create(api::scheme::KindOf(kind), "default", Doc(text));
  }
  api::Json Make(std::string_view kind, std::string_view text) {
    const auto written = Create(kind, text);
    EXPECT_EQ(ErrorOf(written), "ok");
    return written ? store::Parse(*written->object) : api::Json();
  }

  ApiFixture fixture_;
  std::optional<Api> api_;
};

TEST_F(WorkloadsTest, KindsAreServedWithTheirGate) {
  for (const bool on : {false, true}) {
    Start({on, false, false});
    EXPECT_EQ(api_->kinds()->Find("scheduling.k8s.io", "v1alpha2", "podgroups") != nullptr, on);
    EXPECT_EQ(api_->kinds()->FindByName("scheduling.k8s.io/v1alpha2", "Workload") != nullptr, on);
  }
}

TEST_F(WorkloadsTest, GroupsAreCompletedByAdmission) {
  Start(kAllOn);
  fixture_.Make("priorityclasses.scheduling.k8s.io", "{'metadata':{'name':'high'},'value':1000}");
  Start(kAllOn);  // Reads the priority classes.
  const api::Json group =
      Make(kGroups,
           "{'metadata':{'name':'g'},'spec':{'schedulingPolicy':{'gang':{'minCount':2}},"
           "'priorityClassName':'high'},'status':{'conditions':[{'type':'x'}]}}");
  const api::JsonView view(group);
  EXPECT_EQ(view["spec"]["priority"].number(), 1000);
  EXPECT_EQ(view["spec"]["disruptionMode"].text(), "Pod");
  EXPECT_EQ(view["metadata"]["finalizers"].items().at(0).text(),
            "scheduling.k8s.io/podgroup-protection");
  EXPECT_EQ(view["status"]["conditions"].size(), 0u);
  EXPECT_EQ(ErrorOf(Create(kGroups,
                           "{'metadata':{'name':'h'},'spec':{'schedulingPolicy':{'basic':{}},"
                           "'priorityClassName':'high','priority':7}}")),
            "403 Forbidden: podgroups.scheduling.k8s.io \"h\" is forbidden: priority set in the "
            "pod group (7) "
            "must match the priority computed (1000) based on the priority class set in the spec");
}

TEST_F(WorkloadsTest, FieldsOfOtherGatesAreDropped) {
  Start({true, false, false});
  const api::Json group =
      Make(kGroups,
           "{'metadata':{'name':'g'},'spec':{'schedulingPolicy':{'basic':{}},'priority':5,"
           "'disruptionMode':'PodGroup','schedulingConstraints':{'topology':[{'key':'rack'}]}}}");
  const api::JsonView spec = api::JsonView(group)["spec"];
  EXPECT_FALSE(spec["priority"]);
  EXPECT_FALSE(spec["disruptionMode"]);
  EXPECT_FALSE(spec["schedulingConstraints"]);
}

TEST_F(WorkloadsTest, PodsHaveGroupsWithTheGate) {
  constexpr std::string_view kPod =
      "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}],"
      "'schedulingGroup':{'podGroupName':'g'}}}";
  Start({});
  EXPECT_FALSE(api::JsonView(Make("pods", kPod))["spec"]["schedulingGroup"]);
  ASSERT_TRUE(
      api_->Delete(api::scheme::KindOf("pods"), {"default", "p"}, {.grace_period_seconds = 0}));
  Start(kAllOn);
  const api::Json pod = Make("pods", kPod);
  EXPECT_EQ(api::JsonView(pod)["spec"]["schedulingGroup"]["podGroupName"].text(), "g");
  EXPECT_EQ(CausesOf(Create("pods",
                            "{'metadata':{'name':'q'},'spec':{'containers':[{'name':'c','image':"
                            "'i'}],'schedulingGroup':{}}}")),
            "spec.schedulingGroup.podGroupName: Required value");
}

TEST_F(WorkloadsTest, InvalidGroupsAreRejected) {
  Start(kAllOn);
  const auto causes = [&](std::string_view spec) {
    return CausesOf(Create(kGroups, fmt::format("{{'metadata':{{'name':'g'}},'spec':{}}}", spec)));
  };
  EXPECT_EQ(causes("{'schedulingPolicy':{'gang':{'minCount':-1}}}"),
            "spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal "
            "to 1");
  EXPECT_EQ(causes("{'schedulingPolicy':{'gang':{'minCount':1},'basic':{}}}"),
            "spec.schedulingPolicy: Invalid value: {basic, gang}: must specify exactly one of: "
            "`basic`, `gang`");
  EXPECT_EQ(causes("{'schedulingPolicy':{'basic':{}},'schedulingConstraints':{'topology':[{'key':"
                   "'a'},{'key':'b'}]}}"),
            "spec.schedulingConstraints.topology: Too many: 2: must have at most 1 item");
  EXPECT_EQ(causes("{'schedulingPolicy':{'basic':{}},'disruptionMode':'All'}"),
            "spec.disruptionMode: Unsupported value: \"All\": supported values: \"Pod\", "
            "\"PodGroup\"");
}

TEST_F(WorkloadsTest, GroupsDoNotChange) {
  Start(kAllOn);
  api::Json group = Make(
      kGroups, "{'metadata':{'name':'g'},'spec':{'schedulingPolicy':{'gang':{'minCount':2}}}}");
  group.at("spec").at("schedulingPolicy").at("gang").at("minCount") = 1;
  const auto updated = api_->Update(api::scheme::KindOf(kGroups), {"default", "g"}, "", group);
  EXPECT_EQ(
      CausesOf(updated),
      "spec.schedulingPolicy: Invalid value: {\"gang\":{\"minCount\":1}}: field is immutable");
}

TEST_F(WorkloadsTest, TemplateOfAGroupMustExist) {
  Start(kAllOn);
  constexpr std::string_view kFromTemplate =
      "{'metadata':{'name':'g'},'spec':{'schedulingPolicy':{'basic':{}},'podGroupTemplateRef':{"
      "'workload':{'workloadName':'job','podGroupTemplateName':'workers'}}}}";
  EXPECT_EQ(
      ErrorOf(Create(kGroups, kFromTemplate)),
      "403 Forbidden: podgroups.scheduling.k8s.io \"g\" is forbidden: PodGroup rejected: Workload "
      "\"job\" not found");
  Make(kWorkloads,
       "{'metadata':{'name':'job'},'spec':{'podGroupTemplates':[{'name':'leader',"
       "'schedulingPolicy':{'basic':{}}}]}}");
  EXPECT_EQ(ErrorOf(Create(kGroups, kFromTemplate)),
            "403 Forbidden: podgroups.scheduling.k8s.io \"g\" is forbidden: PodGroup rejected: "
            "PodGroupTemplate \"workers\" not found in Workload \"job\"");
}

TEST_F(WorkloadsTest, WorkloadsHaveTemplates) {
  Start(kAllOn);
  EXPECT_EQ(CausesOf(Create(kWorkloads, "{'metadata':{'name':'w'},'spec':{}}")),
            "spec.podGroupTemplates: Required value");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
