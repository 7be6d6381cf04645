// The PodGroups of scheduler-plugins, from their CustomResourceDefinition to the binding.
#include <gmock/gmock.h>

#include <string>

#include "berth_process_testing.h"
#include "testing/await.h"
#include "testing/raw_client.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;

constexpr const char* kConfig = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      enabled: [{name: Coscheduling}]
      disabled: [{name: PrioritySort}]
)";

constexpr const char* kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: podgroups.scheduling.x-k8s.io
  annotations: {api-approved.kubernetes.io: "https://example.com"}
spec:
  group: scheduling.x-k8s.io
  names: {kind: PodGroup, plural: podgroups, singular: podgroup}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

std::string Group(const std::string& name, int min_member) {
  return "---\napiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: " + name +
         "}\nspec: {minMember: " + std::to_string(min_member) + "}\n";
}

std::string Member(const std::string& name, const std::string& group) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", labels: {scheduling.x-k8s.io/pod-group: " + group +
         "}}\nspec: {containers: [{name: c, image: i}]}\n";
}

TEST(Coscheduling, MembersAreBoundWhenTheirGroupIsComplete) {
  const TemporaryDirectory files;
  const std::string objects =
      files.Write("objects.yaml", std::string(kDefinition) + Group("whole", 2) + Group("part", 3) +
                                      Member("p1", "part") + Member("p2", "part") +
                                      Member("w1", "whole") + Member("w2", "whole"));
  RunningProcess up({BERTH_BINARY, "up", "--port", "0", "--nodes", "2", "--scheduler", "http",
                     "--config", files.Write("config.yaml", kConfig), "-f", objects, "--kubeconfig",
                     files.path("kubeconfig")});
  const std::string url = up.WaitForLine("listening on ");
  const auto bound = [&](const char* pod) {
    RawClient client(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    client.Send(std::string("GET /api/v1/namespaces/default/pods/") + pod +
                " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    return client.ReadAll().find("\"nodeName\"") != std::string::npos;
  };
  EXPECT_TRUE(Await([&] { return bound("w1") && bound("w2"); }));
  EXPECT_FALSE(bound("p1") || bound("p2"));
  EXPECT_EQ(up.End(SIGTERM), 0);
}

TEST(Coscheduling, IsRejectedWhereItsGroupsAreNotRead) {
  const TemporaryDirectory files;
  const ProcessResult ended =
      RunBerth({"up", "--port", "0", "--config", files.Write("config.yaml", kConfig)});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("reads PodGroups of a CustomResourceDefinition, which only "
                                   "--scheduler=http does"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
