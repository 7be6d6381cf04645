// `berth schedule` answers only the question that was asked: what it does not understand is an
// error, what it does not read is counted, and workloads become their pods.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kNodes = R"(
apiVersion: v1
kind: Node
metadata: {name: big}
status: {capacity: {cpu: 8, memory: 16Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: small}
status: {capacity: {cpu: 2, memory: 4Gi}}
)";

class ScheduleInputTest : public ::testing::Test {
 protected:
  ProcessResult Schedule(const std::string& objects, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"schedule", "-f", files_.Write("nodes.yaml", kNodes), "-f",
                                       files_.Write("new.yaml", objects)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBerth(arguments);
  }
  // The error of objects that must not be scheduled.
  std::string Error(const std::string& objects) {
    const ProcessResult ended = Schedule(objects);
    EXPECT_EQ(ended.code, 1);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  }
  std::string Place(int document = 1) const {
    return fmt::format("berth schedule: {}: document {}: ", files_.path("new.yaml"), document);
  }

  TemporaryDirectory files_;
};

constexpr const char* kMisspelt = R"(
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelektor: {disk: ssd}
  containers: [{name: c, image: i, resorces: {requests: {cpu: 64}}}]
)";

TEST_F(ScheduleInputTest, UnknownFieldsAreErrorsWithTheNearestName) {
  EXPECT_EQ(Error(kMisspelt),
            Place() +
                "Pod \"default/web\": unknown field \"spec.nodeSelektor\": {\"disk\":\"ssd\"}; did "
                "you mean \"nodeSelector\"?\n" +
                Place() +
                "Pod \"default/web\": unknown field \"spec.containers[0].resorces\": "
                "{\"requests\":{\"cpu\":64}}; did you mean \"resources\"?\n");
}

TEST_F(ScheduleInputTest, ValidationMayWarnOrBeSwitchedOff) {
  const ProcessResult warned = Schedule(kMisspelt, {"--validate=warn"});
  EXPECT_EQ(warned.code, 0);
  EXPECT_THAT(warned.err, AllOf(HasSubstr("berth schedule: warning: "),
                                HasSubstr("unknown field \"spec.nodeSelektor\"")));
  EXPECT_THAT(warned.out, HasSubstr("default/web  Scheduled"));
  for (const char* off : {"--validate=ignore", "--validate=false"}) {
    const ProcessResult ignored = Schedule(kMisspelt, {off});
    EXPECT_EQ(ignored.code, 0);
    EXPECT_THAT(ignored.err, IsEmpty());
  }
  EXPECT_EQ(Schedule(kMisspelt, {"--validate=maybe"}).code, 2);
}

TEST_F(ScheduleInputTest, AMisspeltFieldThatIsRequiredIsNamedToo) {
  EXPECT_THAT(
      Error("apiVersion: v1\nkind: Pod\nmetdata: {name: web}\n"),
      HasSubstr("unknown field \"metdata\": {\"name\":\"web\"}; did you mean \"metadata\"?"));
  EXPECT_EQ(Error("apiVersion: v1\nknid: Pod\nmetadata: {name: web}\n"),
            Place() + "unknown field \"knid\": \"Pod\"; did you mean \"kind\"?\n");
  EXPECT_EQ(Error("apiVersoin: v1\nkind: Pod\nmetadata: {name: web}\n"),
            Place() + "unknown field \"apiVersoin\": \"v1\"; did you mean \"apiVersion\"?\n");
  EXPECT_EQ(Error("kind: Pod\nmetadata: {name: web}\n"),
            Place() + "apiVersion not set; Pod has v1\n");
}

TEST_F(ScheduleInputTest, AllProblemsAreListed) {
  const std::string error = Error(
      "apiVersion: v1\nkind: Nodee\nmetadata: {name: n}\n---\n"
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {nam: a}}\n");
  EXPECT_EQ(error, Place() +
                       "no matches for kind \"Nodee\" in version \"v1\"; did you mean Node?\n" +
                       Place(2) +
                       "items[0]: Pod \"default/\": unknown field \"metadata.nam\": \"a\"; did you "
                       "mean \"name\"?\n");
}

TEST_F(ScheduleInputTest, DuplicateFieldsAreErrors) {
  EXPECT_THAT(Error("apiVersion: v1\nkind: Pod\nkind: Pod\n"),
              HasSubstr("line 3: key \"kind\" already set in map"));
  const std::string json =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","name":"api"},"spec":{}})";
  EXPECT_EQ(Error(json), Place() + "duplicate field \"metadata.name\"\n");
  // The last one counts.
  EXPECT_THAT(Schedule(json, {"--validate=warn"}).out, HasSubstr("default/api"));
}

TEST_F(ScheduleInputTest, WrongTypesOfFieldsThatTheSchedulerDoesNotReadAreErrors) {
  EXPECT_THAT(
      Error("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
            "spec: {containers: [{name: c, image: i, stdin: 7}]}\n"),
      HasSubstr("cannot unmarshal number into field spec.containers[0].stdin of type bool"));
}

TEST_F(ScheduleInputTest, OtherKindsAreCounted) {
  const ProcessResult ended = Schedule(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n---\n"
      "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\n---\n"
      "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: s}\n");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err,
            "berth schedule: note: skipped 4 objects of kinds that berth schedule does not read: 2 "
            "ConfigMap, 1 Ingress, 1 Service.serving.knative.dev\n"
            "berth schedule: note: no pending pods found\n");
}

std::string Deployment(int replicas, std::string_view more = "") {
  return fmt::format(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n"
      "  replicas: {}\n"
      "  selector: {{matchLabels: {{app: web}}}}\n"
      "  template:\n"
      "    metadata: {{labels: {{app: web}}}}\n"
      "    spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 3}}}}}}]{}}}\n",
      replicas, more);
}

TEST_F(ScheduleInputTest, WorkloadsBecomeTheirPods) {
  const ProcessResult ended = Schedule(Deployment(3));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, HasSubstr("2 of 3 pods scheduled, 1 unschedulable"));
  EXPECT_EQ(Schedule(Deployment(3)).out, ended.out);
}

TEST_F(ScheduleInputTest, WorkloadsAreExpandedAtTheirPlace) {
  const std::string pod = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: last}\nspec: {}\n";
  const ProcessResult ended = Schedule(Deployment(1) + pod);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_LT(ended.out.find("default/web-"), ended.out.find("default/last"));
}

TEST_F(ScheduleInputTest, AnInvalidWorkloadIsAnError) {
  EXPECT_THAT(Error("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
                    "spec: {template: {spec: {containers: [{name: c, image: i}]}}}\n"),
              AllOf(HasSubstr(Place() + "Deployment \"default/web\": "),
                    HasSubstr("spec.selector: Required value")));
  EXPECT_THAT(Error(Deployment(1, ", priorityClassName: high")),
              HasSubstr("no PriorityClass with name high was found"));
}

TEST_F(ScheduleInputTest, PodsThatAreGivenAreNotCreatedAgain) {
  const std::string dump = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-abc
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: v1
kind: Pod
metadata:
  name: web-abc-x
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-abc, uid: r, controller: true}]
spec: {nodeName: big, containers: [{name: c, image: i}]}
---
)";
  const ProcessResult ended = Schedule(dump + Deployment(3));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("no pods were created for workloads whose pods are given: ReplicaSet "
                        "default/web-abc, Deployment default/web\n"));
  EXPECT_THAT(ended.out, HasSubstr("0 of 0 pods scheduled; 2 nodes, 1 pod already bound"));
}

TEST_F(ScheduleInputTest, WorkloadsWithoutPodsAreNoted) {
  const ProcessResult ended = Schedule(Deployment(0));
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("note: no pods to create for: Deployment default/web\n"));
}

// --- a live cluster ---

// A cluster with two nodes, a pod that waits and the Deployment "web".
class LiveScheduleTest : public ScheduleInputTest {
 protected:
  FakeResponse Serve(const ReceivedRequest& request) {
    const std::lock_guard lock(mutex_);
    methods_.insert(request.method);
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path.ends_with("/deployments/web")) return {200, "{}"};
    if (path.find("/namespaces/") != std::string::npos) return {404, "{}"};
    std::string items;
    if (path == "/api/v1/namespaces") items = R"({"metadata":{"name":"default"}})";
    if (path == "/api/v1/pods") {
      items = R"({"metadata":{"name":"waits","namespace":"default"},
                  "spec":{"schedulerName":"default-scheduler","containers":[{"name":"c"}]}})";
    }
    if (path == "/api/v1/nodes") {
      // In two pages.
      const bool first = request.target.find("continue=") == std::string::npos;
      return {200, fmt::format(R"({{"metadata":{{"continue":"{}"}},"items":[{{"metadata":{{"name":
                                 "{}"}},"status":{{"allocatable":{{"cpu":"4","memory":"8Gi","pods":
                                 "110"}}}}}}]}})",
                               first ? "next" : "", first ? "n1" : "n2")};
    }
    return {200, fmt::format(R"({{"items":[{}]}})", items)};
  }

  ProcessResult Run(std::vector<std::string> more) {
    const FakeHttpServer server([this](const ReceivedRequest& request) { return Serve(request); });
    const std::string kubeconfig = files_.Write(
        "kubeconfig", fmt::format("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                  "clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                                  "contexts: [{{name: c, context: {{cluster: c}}}}]\n",
                                  server.url()));
    more.insert(more.begin(), {"schedule", "--kubeconfig", kubeconfig});
    return RunBerth(more);
  }
  ProcessResult Add(const std::string& objects) {
    return Run({"-f", files_.Write("new.yaml", objects)});
  }

  std::mutex mutex_;
  std::set<std::string> methods_;  // Of all requests.
};

TEST_F(LiveScheduleTest, NewPodsAreScheduledOnTheLiveClusterAndNothingIsWritten) {
  std::string deployment = Deployment(2);
  deployment.replace(deployment.find("name: web"), 9, "name: api");
  const ProcessResult ended = Add(deployment);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("default/api-"), HasSubstr("n1\n"), HasSubstr("n2\n"),
                    Not(HasSubstr("default/waits")), HasSubstr("2 of 2 pods scheduled; 2 nodes")));
  EXPECT_THAT(methods_, ElementsAre("GET"));
}

TEST_F(LiveScheduleTest, WithoutFilesThePendingPodsAreScheduled) {
  const ProcessResult ended = Run({});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("default/waits  Scheduled"));
}

TEST_F(LiveScheduleTest, WhatExistsCannotBeAdded) {
  EXPECT_THAT(Add(Deployment(2)).err,
              HasSubstr("Deployment \"default/web\": it exists in the cluster"));
  EXPECT_THAT(Add("apiVersion: v1\nkind: Pod\nmetadata: {name: waits}\nspec: {}\n").err,
              HasSubstr("Pod \"default/waits\" exists in the cluster"));
}

TEST_F(LiveScheduleTest, NamespacesMustExist) {
  const ProcessResult ended =
      Add("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: defualt}\nspec: {}\n");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err,
              HasSubstr("namespace \"defualt\" not found in the cluster or the files; did "
                        "you mean default?"));
}

TEST(ScheduleUsageTest, NeedsFilesOrACluster) {
  const ProcessResult ended = RunBerth({"schedule"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--filename or --kubeconfig is required"));
  EXPECT_EQ(RunBerth({"schedule", "-f", "x.yaml", "--context", "c"}).code, 2);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
