// The defaults of each kind, and the canonical form of quantities.
#include <gtest/gtest.h>

#include <set>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

struct Case {
  const char* name;
  const char* kind;
  const char* given;
  const char* want;  // Part of the stored object.
};

class Defaults : public ::testing::TestWithParam<Case> {};

TEST_P(Defaults, AreApplied) {
  registry::ApiFixture fixture;
  EXPECT_HOLDS(fixture.Make(GetParam().kind, GetParam().given), GetParam().want);
}

constexpr const char* kTemplate =
    "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},"
    "'spec':{'containers':[{'name':'c','image':'i:1'}]}}";

std::string Workload(const std::string& rest) {
  return "{'metadata':{'name':'w'},'spec':{" + rest + kTemplate + "}}";
}

INSTANTIATE_TEST_SUITE_P(
    Pods, Defaults,
    ::testing::Values(
        Case{"ImagesWithATagArePulledOnce", "pods",
             "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'r:5000/i:1.2'},"
             "{'name':'d','image':'r:5000/i'},{'name':'e','image':'i:latest'},"
             "{'name':'f','image':'i@sha256:0'}]}}",
             "{'spec':{'containers':[{'imagePullPolicy':'IfNotPresent'},"
             "{'imagePullPolicy':'Always'},{'imagePullPolicy':'Always'},"
             "{'imagePullPolicy':'IfNotPresent'}]}}"},
        Case{"QuantitiesAreCanonical", "pods",
             "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i',"
             "'resources':{'requests':{'cpu':0.5,'memory':'1024Mi'},"
             "'limits':{'cpu':'1.5','memory':'1Gi'}}}],"
             "'volumes':[{'name':'v','emptyDir':{'sizeLimit':'2048Ki'}}]}}",
             "{'spec':{'containers':[{'resources':{'requests':{'cpu':'500m','memory':'1Gi'},"
             "'limits':{'cpu':'1500m','memory':'1Gi'}}}],"
             "'volumes':[{'emptyDir':{'sizeLimit':'2Mi'}}]},'status':{'qosClass':'Burstable'}}"},
        Case{"LimitsAreRequested", "pods",
             "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i',"
             "'resources':{'limits':{'cpu':'1','memory':'1Gi'}}}]}}",
             "{'spec':{'containers':[{'resources':{'requests':{'cpu':'1','memory':'1Gi'}}}]},"
             "'status':{'qosClass':'Guaranteed'}}"},
        Case{"PodLevelRequestsComeFromContainersThenLimits", "pods",
             "{'metadata':{'name':'a'},'spec':{'overhead':{'cpu':'100m'},"
             "'resources':{'limits':{'cpu':'4','memory':'2Gi','hugepages-2Mi':'4Mi'}},"
             "'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}},"
             "{'name':'d','image':'i','resources':{'requests':{'cpu':'500m'}}}]}}",
             "{'spec':{'resources':{'requests':{'cpu':'1500m','memory':'2Gi',"
             "'hugepages-2Mi':'4Mi'}}}}"},
        Case{"GivenPodLevelRequestsStand", "pods",
             "{'metadata':{'name':'a'},'spec':{"
             "'resources':{'requests':{'cpu':'2'},'limits':{'cpu':'4'}},"
             "'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]}}",
             "{'spec':{'resources':{'requests':{'cpu':'2'}}}}"},
        Case{"WithoutPodLevelLimitsNothingIsRequested", "pods",
             "{'metadata':{'name':'a'},'spec':{'resources':{'requests':{'cpu':'2'}},"
             "'containers':[{'name':'c','image':'i','resources':{'requests':{'memory':'1Gi'}}}]}}",
             "{'spec':{'resources':{'requests':{'cpu':'2','memory':null}}}}"},
        Case{"OneContainerWithoutLimitsIsNoGuarantee", "pods",
             "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i',"
             "'resources':{'limits':{'cpu':'1','memory':'1Gi'}}},{'name':'d','image':'i'}]}}",
             "{'status':{'qosClass':'Burstable'}}"},
        Case{"PortsOfTheHostsNetworkAreTheHosts", "pods",
             "{'metadata':{'name':'a'},'spec':{'hostNetwork':true,'containers':[{'name':'c',"
             "'image':'i','ports':[{'containerPort':80}]}]}}",
             "{'spec':{'containers':[{'ports':[{'containerPort':80,'hostPort':80,"
             "'protocol':'TCP'}]}]}}"},
        Case{"ProbesHaveTimes", "pods",
             "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i',"
             "'livenessProbe':{'httpGet':{'port':80}}}]}}",
             "{'spec':{'containers':[{'livenessProbe':{'timeoutSeconds':1,'periodSeconds':10,"
             "'successThreshold':1,'failureThreshold':3,"
             "'httpGet':{'port':80,'path':'/','scheme':'HTTP'}}}]}}"},
        Case{"OnesOwnTolerationsStand", "pods",
             "{'metadata':{'name':'a'},'spec':{'tolerations':[{'operator':'Exists'}],"
             "'containers':[{'name':'c','image':'i'}]}}",
             "{'spec':{'tolerations':[{'operator':'Exists'}]}}"},
        Case{"NullIsAbsent", "pods",
             "{'metadata':{'name':'a','creationTimestamp':null,'labels':{'x':'y'}},"
             "'spec':{'nodeName':null,'containers':[{'name':'c','image':'i','env':null}]}}",
             "{'spec':{'nodeName':null,'containers':[{'env':null}]}}"}),
    [](const auto& test) { return test.param.name; });

struct WorkloadCase {
  const char* name;
  const char* kind;
  const char* rest;
  const char* want;
};
class WorkloadDefaults : public ::testing::TestWithParam<WorkloadCase> {};
TEST_P(WorkloadDefaults, AreApplied) {
  registry::ApiFixture fixture;
  EXPECT_HOLDS(fixture.Make(GetParam().kind, Workload(GetParam().rest)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, WorkloadDefaults,
    ::testing::Values(
        WorkloadCase{"Deployment", "deployments.apps", "",
                     "{'metadata':{'generation':1},'spec':{'replicas':1,'revisionHistoryLimit':10,"
                     "'progressDeadlineSeconds':600,'strategy':{'type':'RollingUpdate',"
                     "'rollingUpdate':{'maxUnavailable':'25%','maxSurge':'25%'}},"
                     "'template':{'spec':{'restartPolicy':'Always','dnsPolicy':'ClusterFirst',"
                     "'schedulerName':'default-scheduler','tolerations':null,'priority':null,"
                     "'containers':[{'imagePullPolicy':'IfNotPresent'}]}}},'status':{}}"},
        WorkloadCase{"DeploymentThatRecreates", "deployments.apps",
                     "'replicas':3,'strategy':{'type':'Recreate'},",
                     "{'spec':{'replicas':3,'strategy':{'rollingUpdate':null}}}"},
        WorkloadCase{"ReplicaSet", "replicasets.apps", "",
                     "{'spec':{'replicas':1},'status':{'replicas':0}}"},
        WorkloadCase{"StatefulSet", "statefulsets.apps", "",
                     "{'spec':{'replicas':1,'podManagementPolicy':'OrderedReady',"
                     "'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{'partition':0}},"
                     "'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain',"
                     "'whenScaled':'Retain'}}}"},
        WorkloadCase{"DaemonSet", "daemonsets.apps", "",
                     "{'spec':{'revisionHistoryLimit':10,'updateStrategy':{'type':'RollingUpdate',"
                     "'rollingUpdate':{'maxUnavailable':1,'maxSurge':0}}}}"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    OtherKinds, Defaults,
    ::testing::Values(
        Case{"ReplicationController", "replicationcontrollers",
             "{'metadata':{'name':'r'},'spec':{'template':{'metadata':{'labels':{'a':'b'}},"
             "'spec':{'containers':[{'name':'c','image':'i'}]}}}}",
             "{'metadata':{'labels':{'a':'b'}},'spec':{'replicas':1,'selector':{'a':'b'}}}"},
        Case{"CronJob", "cronjobs.batch",
             "{'metadata':{'name':'j'},'spec':{'schedule':'* * * * *','jobTemplate':{'spec':"
             "{'template':{'spec':{'restartPolicy':'Never',"
             "'containers':[{'name':'c','image':'i'}]}}}}}}",
             "{'spec':{'concurrencyPolicy':'Allow','suspend':false,'successfulJobsHistoryLimit':3,"
             "'failedJobsHistoryLimit':1}}"},
        Case{"Namespace", "namespaces", "{'metadata':{'name':'x'}}",
             "{'metadata':{'labels':{'kubernetes.io/metadata.name':'x'}},"
             "'spec':{'finalizers':['kubernetes']},'status':{'phase':'Active'}}"},
        Case{"PriorityClass", "priorityclasses.scheduling.k8s.io",
             "{'metadata':{'name':'p'},'value':5}", "{'preemptionPolicy':'PreemptLowerPriority'}"},
        Case{"StorageClass", "storageclasses.storage.k8s.io",
             "{'metadata':{'name':'s'},'provisioner':'x'}",
             "{'reclaimPolicy':'Delete','volumeBindingMode':'Immediate'}"},
        Case{"Claim", "persistentvolumeclaims",
             "{'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOnce'],"
             "'resources':{'requests':{'storage':'1024Mi'}}}}",
             "{'spec':{'volumeMode':'Filesystem','resources':{'requests':{'storage':'1Gi'}}},"
             "'status':{'phase':'Pending'}}"},
        Case{"Volume", "persistentvolumes",
             "{'metadata':{'name':'v'},'spec':{'accessModes':['ReadWriteOnce'],"
             "'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}}}",
             "{'spec':{'persistentVolumeReclaimPolicy':'Retain','volumeMode':'Filesystem'},"
             "'status':{'phase':'Pending'}}"},
        Case{"Budget", "poddisruptionbudgets.policy",
             "{'metadata':{'name':'b'},'spec':{'minAvailable':1},'status':{'expectedPods':3}}",
             "{'status':{'disruptionsAllowed':0,'currentHealthy':0,'desiredHealthy':0,"
             "'expectedPods':0}}"},
        Case{"Secret", "secrets",
             "{'metadata':{'name':'s'},'stringData':{'k':'hello'},'data':{'o':'eA=='}}",
             "{'type':'Opaque','stringData':null,'data':{'k':'aGVsbG8=','o':'eA=='}}"},
        Case{"HeadlessService", "services",
             "{'metadata':{'name':'s'},'spec':{'clusterIP':'None','ports':[{'port':80}]}}",
             "{'spec':{'clusterIP':'None','clusterIPs':['None'],'type':'ClusterIP',"
             "'sessionAffinity':'None','ports':[{'port':80,'protocol':'TCP','targetPort':80}]},"
             "'status':{'loadBalancer':{}}}"}),
    [](const auto& test) { return test.param.name; });

TEST(JobDefaults, TheSelectorMatchesTheUidOfTheJob) {
  registry::ApiFixture fixture;
  const api::Json job =
      fixture.Make("jobs.batch",
                   "{'metadata':{'name':'j'},'spec':{'template':{'spec':"
                   "{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}");
  EXPECT_HOLDS(job, R"({'spec':{'completions':1,'parallelism':1,'backoffLimit':6,'suspend':false,
      'completionMode':'NonIndexed','podReplacementPolicy':'TerminatingOrFailed',
      'template':{'metadata':{'labels':{'batch.kubernetes.io/job-name':'j','job-name':'j'}}}}})");
  const api::JsonObject* object = api::AsObject(job);
  const std::string_view uid = api::StringAt(api::ObjectAt(object, "metadata"), "uid");
  const api::JsonObject* spec = api::ObjectAt(object, "spec");
  constexpr std::string_view kKey = "batch.kubernetes.io/controller-uid";
  EXPECT_EQ(api::StringAt(api::ObjectAt(api::ObjectAt(spec, "selector"), "matchLabels"), kKey),
            uid);
  const api::JsonObject* metadata = api::ObjectAt(api::ObjectAt(spec, "template"), "metadata");
  EXPECT_EQ(api::StringAt(api::ObjectAt(metadata, "labels"), kKey), uid);
}

TEST(ServiceDefaults, EachGetsItsOwnAddress) {
  registry::ApiFixture fixture;
  std::set<std::string> addresses;
  for (const char* name : {"a", "b", "c"}) {
    const api::Json service = fixture.Make(
        "services", fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'type':'NodePort',"
                                "'ports':[{{'port':80}}]}}}}",
                                name));
    const api::JsonObject* spec = api::ObjectAt(api::AsObject(service), "spec");
    const std::string_view address = api::StringAt(spec, "clusterIP");
    EXPECT_TRUE(address.starts_with("10.")) << address;
    addresses.emplace(address);
    const api::JsonArray* ports = api::ArrayAt(spec, "ports");
    const int64_t port = api::IntAt(api::AsObject(ports->front()), "nodePort").value_or(0);
    EXPECT_TRUE(port >= 30000 && port < 32768) << port;
  }
  EXPECT_EQ(addresses.size(), 3U);
  EXPECT_EQ(
      registry::ErrorOf(fixture.Create("services",
                                       "{'metadata':{'name':'d'},'spec':{'clusterIP':'10.96.0.1',"
                                       "'ports':[{'port':1}]}}")),
      "422 Invalid: Service \"d\" is invalid: spec.clusterIPs: Invalid value: \"10.96.0.1\": "
      "failed to allocate IP 10.96.0.1: provided IP is already allocated");
}

TEST(ServiceDefaults, LoadBalancersGetTheNodePortsThatTheyNeed) {
  registry::ApiFixture fixture;
  const auto spec_of = [](const api::Json& service) {
    return *api::ObjectAt(api::AsObject(service), "spec");
  };
  const auto node_port = [](const api::JsonObject& spec) {
    return api::IntAt(api::AsObject(api::ArrayAt(&spec, "ports")->front()), "nodePort");
  };
  const api::JsonObject usual = spec_of(fixture.Make(
      "services",
      "{'metadata':{'name':'a'},'spec':{'type':'LoadBalancer','ports':[{'port':80}]}}"));
  EXPECT_TRUE(node_port(usual));
  EXPECT_EQ(api::At(&usual, "healthCheckNodePort"), nullptr);
  const api::JsonObject without = spec_of(
      fixture.Make("services",
                   "{'metadata':{'name':'b'},'spec':{'type':'LoadBalancer','ports':[{'port':80}],"
                   "'allocateLoadBalancerNodePorts':false}}"));
  EXPECT_FALSE(node_port(without));
  const api::JsonObject local = spec_of(
      fixture.Make("services",
                   "{'metadata':{'name':'c'},'spec':{'type':'LoadBalancer','ports':[{'port':80}],"
                   "'externalTrafficPolicy':'Local'}}"));
  const auto health = api::IntAt(&local, "healthCheckNodePort");
  ASSERT_TRUE(health);
  EXPECT_TRUE(*health >= 30000 && *health < 32768) << *health;
  EXPECT_NE(health, node_port(local));
  // Updates retain what was allocated, and drop what is no longer needed.
  const auto change = [&](std::string_view patch) {
    EXPECT_EQ(registry::ErrorOf(fixture.Merge("services", "c", patch)), "ok");
    return spec_of(fixture.Get("services", "c"));
  };
  const api::JsonObject same = change("{'spec':{'healthCheckNodePort':null}}");
  EXPECT_EQ(api::IntAt(&same, "healthCheckNodePort"), health);
  const api::JsonObject cluster = change("{'spec':{'externalTrafficPolicy':'Cluster'}}");
  EXPECT_EQ(api::At(&cluster, "healthCheckNodePort"), nullptr);
  EXPECT_EQ(node_port(cluster), node_port(local));
  const api::JsonObject internal = change("{'spec':{'type':'ClusterIP'}}");
  EXPECT_FALSE(node_port(internal));
  for (const char* key : {"allocateLoadBalancerNodePorts", "externalTrafficPolicy"}) {
    EXPECT_EQ(api::At(&internal, key), nullptr) << key;
  }
  const api::JsonObject external =
      change("{'spec':{'type':'ExternalName','externalName':'a.example.com'}}");
  EXPECT_EQ(api::At(&external, "clusterIP"), nullptr);
}

TEST(ClaimDefaults, UseTheNewestDefaultClass) {
  registry::ApiFixture fixture;
  for (const char* name : {"old", "new"}) {
    fixture.Make("storageclasses.storage.k8s.io",
                 fmt::format("{{'metadata':{{'name':'{}','annotations':{{"
                             "'storageclass.kubernetes.io/is-default-class':'true'}}}},"
                             "'provisioner':'x'}}",
                             name));
    fixture.clock.Advance(Duration::Seconds(1));
  }
  constexpr std::string_view kRest =
      "'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1'}}";
  EXPECT_HOLDS(fixture.Make("persistentvolumeclaims",
                            fmt::format("{{'metadata':{{'name':'a'}},'spec':{{{}}}}}", kRest)),
               "{'spec':{'storageClassName':'new'}}");
  EXPECT_HOLDS(
      fixture.Make("persistentvolumeclaims", fmt::format("{{'metadata':{{'name':'b'}},"
                                                         "'spec':{{'storageClassName':'',{}}}}}",
                                                         kRest)),
      "{'spec':{'storageClassName':''}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
