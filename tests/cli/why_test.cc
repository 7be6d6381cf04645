// `berth why`, on files, on the embedded API server, and on servers that forbid something.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/await.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A node that is full, one that is cordoned, one with a taint, and pods of each kind.
constexpr const char* kHarbour = R"(
apiVersion: v1
kind: Node
metadata: {name: full, labels: {disk: ssd}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: closed}
spec: {unschedulable: true}
status: {allocatable: {cpu: "4", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: tainted}
spec: {taints: [{key: dedicated, value: db, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: runs}
spec:
  nodeName: full
  containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gated}
spec: {schedulingGates: [{name: example.com/wait}], containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere}
spec: {schedulerName: another, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: urgent}
spec:
  priority: 10
  nodeSelector: {disk: ssd}
  containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
)";

class WhyFiles : public testing::Test {
 protected:
  ProcessResult Why(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "why");
    arguments.insert(arguments.end(), {"-f", file_});
    return RunBerth(arguments);
  }

  const TemporaryDirectory files_;
  const std::string file_ = files_.Write("harbour.yaml", kHarbour);
};

TEST_F(WhyFiles, NamesPluginsAndFixes) {
  const ProcessResult ended = Why({"big"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(
      ended.out,
      StartsWith("default/big: The 2 nodes that could hold it are closed to it: 1 is cordoned "
                 "(closed) and 1 has the taint dedicated=db:NoSchedule, which the pod does "
                 "not tolerate (tainted).\n"
                 "Pending\n0/3 nodes are available: "));
  EXPECT_THAT(ended.out,
              HasSubstr("What the author of the pod can do so that it runs, each verified:\n"
                        "   1. add a toleration for the taint dedicated=db:NoSchedule; runs on "
                        "tainted\n"
                        "   2. lower the cpu request from 3 to 500m; runs on full\n"
                        "What an administrator of the cluster can do so that it runs, each "
                        "verified:\n"
                        "   3. remove the taint dedicated=db:NoSchedule from node tainted; runs on "
                        "tainted\n"));
  EXPECT_THAT(ended.out, HasSubstr("NodeUnschedulable"));
}

TEST_F(WhyFiles, SaysWhatTheOnlyNodeLacks) {
  const std::string file = files_.Write("one.yaml", R"(
apiVersion: v1
kind: Node
metadata: {name: alone, labels: {disk: hdd}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: picky}
spec: {nodeSelector: {disk: ssd}, containers: [{name: c, image: i}]}
)");
  EXPECT_THAT(RunBerth({"why", "picky", "-f", file}).out,
              StartsWith("default/picky: alone, the only node, does not have the label disk=ssd"));
}

// A condition, a CEL error and a name that would drive the terminal of the reader.
TEST_F(WhyFiles, PrintsNothingThatDrivesATerminal) {
  const std::string file = files_.Write("hostile.yaml", R"(
apiVersion: v1
kind: Node
metadata: {name: node-1}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: node-1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: g}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: claim, namespace: default}
spec:
  devices:
    requests:
    - name: r
      exactly: {deviceClassName: gpu, selectors: [{cel: {expression: '{"a":1}["\x1b[2J"] == 1'}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: hostile}
spec:
  resourceClaims: [{name: c, resourceClaimName: claim}]
  containers: [{name: c, image: i, resources: {claims: [{name: c}]}}]
status:
  conditions:
  - {type: PodScheduled, status: "False", reason: "\e[2J", message: "\u009b2J \u202e \a"}
)");
  const ProcessResult text = RunBerth({"why", "hostile", "-f", file});
  EXPECT_THAT(text.out, HasSubstr("no such key: \\x1b[2J"));
  EXPECT_THAT(text.out, HasSubstr("Its condition says: \\x1b[2J: \\u009b2J \\u202e \\x07"));
  const ProcessResult unknown = RunBerth({"why", "\x1b]0;title\x07", "-f", file});
  EXPECT_THAT(unknown.err, HasSubstr("pod \"\\x1b]0;title\\x07\" not found"));
  for (const std::string& printed :
       {text.out, unknown.err, RunBerth({"why", "hostile", "-f", file, "-o", "yaml"}).out}) {
    EXPECT_EQ(printed.find_first_of("\x1b\x07"), std::string::npos) << printed;
    EXPECT_EQ(printed.find("\u009b"), std::string::npos) << printed;
    EXPECT_EQ(printed.find("\u202e"), std::string::npos) << printed;
  }
}

TEST_F(WhyFiles, ExplainsGatedPodsAsIfTheyWereNot) {
  const ProcessResult ended = Why({"pod/gated"});
  EXPECT_THAT(ended.out,
              StartsWith("default/gated: It waits until its scheduling gate example.com/wait is "
                         "removed, by the controller that added it.\n"
                         "Gated by example.com/wait\n"
                         "Once its scheduling gates are removed: it fits: the scheduler "
                         "would choose full: it is the only node that fits\n"));
}

TEST_F(WhyFiles, ExplainsPodsOfOtherSchedulers) {
  EXPECT_THAT(Why({"elsewhere"}).out,
              HasSubstr("Note: schedulerName is \"another\", which no profile serves: this is what "
                        "default-scheduler decides.\n"));
}

TEST_F(WhyFiles, NamesVictims) {
  const ProcessResult ended = Why({"urgent"});
  EXPECT_THAT(ended.out, HasSubstr("It would preempt pods on full and run there.\n"));
  EXPECT_THAT(ended.out, HasSubstr("* full  default/runs (priority 0)"));
  EXPECT_THAT(ended.out, Not(HasSubstr("can do so that it runs")));
}

TEST_F(WhyFiles, ComparesARunningPodWithToday) {
  const ProcessResult ended = Why({"runs"});
  EXPECT_THAT(ended.out, StartsWith("default/runs: It runs on full.\n"
                                    "Running on full\n"
                                    "Today the scheduler would choose full again: it is the only "
                                    "node that fits.\n"));
}

TEST_F(WhyFiles, SaysWhatWouldLetItRunElsewhere) {
  const ProcessResult ended = Why({"runs", "--on", "tainted"});
  EXPECT_THAT(ended.out, HasSubstr("   1. add a toleration for the taint dedicated=db:NoSchedule"));
  EXPECT_THAT(ended.out, Not(HasSubstr("uncordon")));
}

TEST_F(WhyFiles, GroupsAllPendingPods) {
  const ProcessResult ended = Why({"--all-pending"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("4 pods in 4 groups\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("1 pod: It waits until its scheduling gate example.com/wait is removed, by "
                        "the controller that added it.\n"));
}

// Two namespaces, and a Deployment of which a quota refuses pods.
constexpr const char* kTeams = R"(
---
apiVersion: v1
kind: Pod
metadata: {name: far, namespace: team, labels: {app: far}}
spec: {nodeSelector: {disk: tape}, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: small, namespace: team}
spec: {hard: {pods: "2"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {nodeSelector: {disk: tape}, containers: [{name: c, image: i}]}
)";

TEST(WhyPending, NamespacesAndLabelsChoosePods) {
  const TemporaryDirectory files;
  const std::string file = files.Write("teams.yaml", std::string(kHarbour) + kTeams);
  const auto first_line = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"why", "--all-pending", "-f", file});
    const ProcessResult ended = RunBerth(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out.substr(0, ended.out.find('\n'));
  };
  EXPECT_EQ(first_line({}), "6 pods in 6 groups");
  EXPECT_EQ(first_line({"-n", "team"}), "2 pods in 2 groups");
  EXPECT_EQ(first_line({"-n", "team", "-A"}), "6 pods in 6 groups");
  EXPECT_EQ(first_line({"-l", "app in (far, near)"}), "1 pod in 1 group");
  EXPECT_EQ(first_line({"-l", "!app"}), "4 pods in 4 groups");
  const ProcessResult bad = RunBerth({"why", "--all-pending", "-l", "app in", "-f", file});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("--selector: "));
  EXPECT_EQ(RunBerth({"why", "far", "-l", "app=far", "-f", file}).code, 2);
}

TEST(WhyPending, SaysWhichPodsWereNotCreated) {
  const TemporaryDirectory files;
  const std::string file = files.Write("teams.yaml", std::string(kHarbour) + kTeams);
  const std::string sentence =
      "2 of 3 replicas were refused by ResourceQuota small: 2 of 2 pods are used, and each pod "
      "needs 1";
  EXPECT_THAT(RunBerth({"why", "--all-pending", "-f", file}).out,
              HasSubstr("Pods that were not created:\n  Deployment team/web: " + sentence + ".\n"));
  EXPECT_THAT(
      RunBerth({"why", "deployment/web", "-n", "team", "-f", file}).out,
      StartsWith(sentence +
                 ".\n   1. the author can reduce the replicas of Deployment web from 3 to 1\n"
                 "   2. an administrator can raise ResourceQuota small to 4 pods\n"
                 "1 pod in 1 group\n"));
  EXPECT_THAT(RunBerth({"why", "deployment/web", "-n", "team", "--fix", "2", "-f", file}).out,
              HasSubstr("kubectl patch resourcequota/small -n team --type=json -p "
                        "'[{\"op\":\"replace\",\"path\":\"/spec/hard/pods\",\"value\":\"4\"}]'\n"));
  const ProcessResult scheduled = RunBerth({"schedule", "-f", file, "--fail-on-unschedulable"});
  EXPECT_THAT(scheduled.err, HasSubstr("note: Deployment team/web: " + sentence));
}

TEST_F(WhyFiles, PrintsPatches) {
  const ProcessResult ended = Why({"big", "--fix", "2", "-o", "yaml"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "# 1 of 1: lower the cpu request from 3 to 500m\n"
            "# a Pod cannot be changed like this: it is deleted and created again\n"
            "# kubectl get pod/big -n default -o yaml | kubectl patch -f - --local --type=json -p "
            "'[{\"op\":\"test\",\"path\":\"/spec/containers/0/name\",\"value\":\"c\"},"
            "{\"op\":\"add\",\"path\":\"/spec/containers/0/resources/requests/cpu\","
            "\"value\":\"500m\"}]' -o yaml | kubectl replace --force -f -\n"
            "- op: test\n"
            "  path: /spec/containers/0/name\n"
            "  value: c\n"
            "- op: add\n"
            "  path: /spec/containers/0/resources/requests/cpu\n"
            "  value: \"500m\"\n");
  const ProcessResult none = Why({"big", "--fix", "99"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("berth why: --fix 99: there are "));
}

TEST_F(WhyFiles, DeploymentsAreGroupsOfPods) {
  const std::string deployment = files_.Write("web.yaml",
                                              "apiVersion: apps/v1\n"
                                              "kind: Deployment\n"
                                              "metadata: {name: web}\n"
                                              "spec:\n"
                                              "  replicas: 3\n"
                                              "  selector: {matchLabels: {app: web}}\n"
                                              "  template:\n"
                                              "    metadata: {labels: {app: web}}\n"
                                              "    spec:\n"
                                              "      containers:\n"
                                              "      - name: web\n"
                                              "        image: i\n"
                                              "        resources: {requests: {cpu: \"8\"}}\n");
  const ProcessResult ended = Why({"deploy/web", "-f", deployment});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("3 pods in 1 group\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("3 pods of Deployment default/web: No node is large enough for 8 "
                        "cpu: closed has 4.\n"));
  EXPECT_THAT(ended.out, HasSubstr("NODES  REJECTED BY"));
  const ProcessResult fix = Why({"deploy/web", "-f", deployment, "--fix", "1"});
  EXPECT_THAT(fix.out, HasSubstr("kubectl patch deployment/web -n default --type=json -p '"));
}

TEST_F(WhyFiles, NamesTheMembersThatStopAGroup) {
  const std::string group =
      files_.Write("group.yaml",
                   "apiVersion: scheduling.k8s.io/v1alpha2\n"
                   "kind: PodGroup\n"
                   "metadata: {name: job}\n"
                   "spec: {schedulingPolicy: {gang: {minCount: 2}}}\n"
                   "---\n"
                   "apiVersion: v1\n"
                   "kind: Pod\n"
                   "metadata: {name: small}\n"
                   "spec:\n"
                   "  schedulingGroup: {podGroupName: job}\n"
                   "  containers: [{name: c, image: i, resources: {requests: {cpu: 400m}}}]\n"
                   "---\n"
                   "apiVersion: v1\n"
                   "kind: Pod\n"
                   "metadata: {name: large}\n"
                   "spec:\n"
                   "  schedulingGroup: {podGroupName: job}\n"
                   "  containers: [{name: c, image: i, resources: {requests: {cpu: \"3\"}}}]\n");
  const std::vector<std::string> gates = {"--feature-gates",
                                          "GenericWorkload=true,GangScheduling=true", "-f", group};
  const auto why = [&](const std::string& subject) {
    std::vector<std::string> arguments = {subject};
    arguments.insert(arguments.end(), gates.begin(), gates.end());
    return Why(arguments);
  };
  const ProcessResult ended = why("podgroup/job");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              StartsWith("PodGroup default/job: gang of at least 2; 0 of 2 pods have a node\n"
                         "pod group is unschedulable\n"
                         "\n"
                         "1 pod without a node: 0/3 nodes are available: "));
  EXPECT_THAT(ended.out, HasSubstr("\n  default/large\n"));
  EXPECT_THAT(why("small").out, HasSubstr("Its PodGroup job (gang of at least 2): pod group is "
                                          "unschedulable\n"));
  EXPECT_THAT(why("--all-pending").out,
              HasSubstr("1 pod: PodGroup default/job: pod group is unschedulable.\n"
                        "  default/small\n"));
  const ProcessResult none = why("podgroup/jobs");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("PodGroup \"jobs\" not found in namespace \"default\""));
}

TEST_F(WhyFiles, RejectsWhatIsNotThere) {
  struct Case {
    std::vector<std::string> arguments;
    int code;
    const char* want;
  };
  const Case cases[] = {
      {{"bigg"},
       1,
       "berth why: pod \"bigg\" not found in namespace \"default\"; did you mean big?\n"},
      {{"big", "-n", "shop"}, 1, "pod \"big\" not found in namespace \"shop\"\n"},
      {{"deployment/web"}, 1, "Deployment \"web\" in namespace \"default\" has no pods"},
      {{"deplyment/web"},
       2,
       "\"deplyment\" has no pods that can be explained; did you mean deployment?"},
      {{}, 2, "either a pod, a workload or --all-pending is required\n"},
      {{"big", "--all-pending"}, 2, "either a pod, a workload or --all-pending is required\n"},
      {{"--all-pending", "--fix", "1"}, 2, "--fix requires a pod or a workload\n"},
      {{".."}, 2, "\"..\" is not the name of a pod\n"},
      {{"pod/a%2fb"}, 2, "\"a%2fb\" is not the name of an object\n"},
      {{"pod/a/b"}, 2, "\"a/b\" is not the name of an object\n"},
      {{"<script>"}, 1, "pod \"<script>\" not found"},
  };
  for (const Case& c : cases) {
    const ProcessResult ended = Why(c.arguments);
    EXPECT_EQ(ended.code, c.code) << c.want;
    EXPECT_THAT(ended.err, HasSubstr(c.want));
    EXPECT_EQ(ended.out, "");
  }
}

// --- live clusters ---

std::string KubeconfigFor(const TemporaryDirectory& files, const std::string& url) {
  return files.Write(
      "kubeconfig",
      fmt::format("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                  "clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                  "contexts: [{{name: c, context: {{cluster: c, namespace: shop}}}}]\n",
                  url));
}

constexpr const char* kForbidden =
    R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,)"
    R"("message":"User \"dev\" cannot list this"})";

// A server with one node and one pod, which forbids what `forbids` says.
FakeHttpServer::Handler Guarded(std::function<bool(const std::string& target)> forbids) {
  return [forbids = std::move(forbids)](const ReceivedRequest& request) {
    const std::string& target = request.target;
    const auto is = [&](const char* part) { return target.find(part) != std::string::npos; };
    if (forbids(target)) return FakeResponse{403, kForbidden};
    if (is("resource.k8s.io") || is("selfsubjectaccessreviews")) {
      return FakeResponse{404, "404 page not found"};
    }
    if (target.starts_with("/api/v1/nodes")) {
      return FakeResponse{200, R"({"kind":"NodeList","items":[{"metadata":{"name":"n"},)"
                               R"("status":{"allocatable":{"cpu":"2","pods":"9"}}}]})"};
    }
    if (is("/pods?")) {
      return FakeResponse{
          200, R"({"kind":"PodList","items":[{"metadata":{"name":"web","namespace":"shop",)"
               R"("uid":"u"},"spec":{"schedulerName":"default-scheduler","containers":[)"
               R"({"name":"c","resources":{"requests":{"cpu":"3"}}}]}}]})"};
    }
    if (is("/pods/")) return FakeResponse{404, R"({"kind":"Status","code":404})"};
    return FakeResponse{200, R"({"items":[]})"};
  };
}

ProcessResult WhyOn(const FakeHttpServer& server, std::vector<std::string> arguments) {
  const TemporaryDirectory files;
  arguments.insert(arguments.begin(), "why");
  arguments.insert(arguments.end(), {"--kubeconfig", KubeconfigFor(files, server.url())});
  return RunBerth(arguments);
}

TEST(WhyLive, NamesKindsThatTheServerDoesNotServe) {
  const FakeHttpServer server(Guarded([](const std::string&) { return false; }));
  const ProcessResult ended = WhyOn(server, {"web"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("shop/web: No node is large enough for 3 cpu: n has 2.\n"
                                    "Pending\n0/1 nodes are available: 1 Insufficient cpu"));
  EXPECT_THAT(ended.out, HasSubstr("1. lower the cpu request from 3 to 2; runs on n\n"));
  EXPECT_THAT(ended.out, HasSubstr("  deviceclasses.resource.k8s.io: the server does not serve it "
                                   "in version v1\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("The scheduler"))) << "it is not Berth's";
}

TEST(WhyLive, GivesUpAnEndlessList) {
  const FakeHttpServer server([](const ReceivedRequest&) {
    return FakeResponse{200, R"({"metadata":{"continue":"more"},"items":[]})"};
  });
  const ProcessResult ended = WhyOn(server, {"web"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr(": the list has more than 4000 pages\n"));
}

TEST(WhyLive, GoesOnWithThePodsOfTheNamespace) {
  const FakeHttpServer server(Guarded([](const std::string& target) {
    return target.starts_with("/api/v1/pods") ||
           target.find("/persistentvolumes?") != std::string::npos;
  }));
  const ProcessResult ended = WhyOn(server, {"web"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("  pods: those of other namespaces than shop: GET /api/v1/pods: "
                                   "forbidden: User \"dev\" cannot list this\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("  persistentvolumes: GET /api/v1/persistentvolumes: forbidden: "));
  EXPECT_THAT(WhyOn(server, {"web", "-o", "json"}).out, HasSubstr("\"resource\": \"pods\""));
}

TEST(WhyLive, NeedsNodesAndPods) {
  const FakeHttpServer no_nodes(
      Guarded([](const std::string& target) { return target.starts_with("/api/v1/nodes"); }));
  const ProcessResult without_nodes = WhyOn(no_nodes, {"web"});
  EXPECT_EQ(without_nodes.code, 1);
  EXPECT_THAT(without_nodes.err, HasSubstr("berth why: GET /api/v1/nodes: forbidden: "));
  const FakeHttpServer no_pods(
      Guarded([](const std::string& target) { return target.find("/pods") != std::string::npos; }));
  const ProcessResult without_pods = WhyOn(no_pods, {"web"});
  EXPECT_EQ(without_pods.code, 1);
  EXPECT_THAT(without_pods.err, HasSubstr("GET /api/v1/namespaces/shop/pods: forbidden: "));
}

TEST(WhyLive, APodThatIsGoneIsAnError) {
  const FakeHttpServer server(Guarded([](const std::string&) { return false; }));
  const ProcessResult ended = WhyOn(server, {"wev"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err,
              HasSubstr("pod \"wev\" not found in namespace \"shop\"; did you mean web?"));
}

// The scheduler of the cluster wrote what `berth why` finds.
TEST(WhyLive, AgreesWithTheConditionOfTheEmbeddedScheduler) {
  const TemporaryDirectory files;
  const std::string objects = files.Write("harbour.yaml", kHarbour);
  const std::string kubeconfig = files.path("kubeconfig");
  RunningProcess up({BERTH_BINARY, "up", "--port", "0", "--nodes", "0", "-f", objects,
                     "--kubeconfig", kubeconfig});
  ASSERT_NE(up.WaitForLine("listening on "), "");
  const auto why = [&](const std::string& pod, const std::string& format) {
    return RunBerth({"why", pod, "-o", format, "--kubeconfig", kubeconfig});
  };
  ProcessResult ended;
  EXPECT_TRUE(Await([&] {
    ended = why("big", "json");
    return ended.out.find("\"reason\": \"Unschedulable\"") != std::string::npos;
  })) << ended.out
      << ended.err;
  // Text shows the condition only if it differs from the decision now.
  ended = why("big", "text");
  EXPECT_THAT(ended.out, Not(HasSubstr("Its condition")));
  EXPECT_THAT(ended.out, HasSubstr("0/3 nodes are available"));
  EXPECT_THAT(RunBerth({"why", "--all-pending", "--kubeconfig", kubeconfig}).out,
              HasSubstr("its scheduling gate example.com/wait"));
  EXPECT_EQ(up.End(SIGTERM), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
