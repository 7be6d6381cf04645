#include <gtest/gtest.h>

#include "apiserver/printing/table_testing.h"

namespace berth::apiserver::printing {
namespace BERTH_TEST_FILE {

class KindCellsTest : public testing::TestWithParam<CellCase> {};

TEST_P(KindCellsTest, MatchKubeApiserver) { EXPECT_EQ(CellsOf(GetParam()), GetParam().want); }

const auto kName = [](const auto& param_info) { return param_info.param.name; };

#define TEMPLATE R"("template":{"spec":{"containers":[{"name":"c","image":"i:1"}]}})"
#define SELECTOR R"("selector":{"matchLabels":{"app":"web"}})"

INSTANTIATE_TEST_SUITE_P(
    Nodes, KindCellsTest,
    testing::Values(
        CellCase{"Ready", "nodes",
                 R"(,"labels":{"node-role.kubernetes.io/worker":"","kubernetes.io/role":"gpu"}},)"
                 R"("status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":)"
                 R"({"kubeletVersion":"v1.36.0","osImage":"Debian","kernelVersion":"6.1",)"
                 R"("architecture":"amd64","containerRuntimeVersion":"containerd://2"},)"
                 R"("addresses":[{"type":"Hostname","address":"x"},)"
                 R"({"type":"InternalIP","address":"10.0.0.2"}]})",
                 R"("x","Ready","gpu,worker","60m","v1.36.0","10.0.0.2","<none>","Debian",)"
                 R"_("6.1 (amd64)","containerd://2")_"},
        CellCase{"CordonedAndNotReady", "nodes",
                 R"(},"spec":{"unschedulable":true},)"
                 R"("status":{"conditions":[{"type":"Ready","status":"Unknown"}]})",
                 R"("x","NotReady,SchedulingDisabled","<none>","60m","","<none>","<none>",)"
                 R"("<unknown>","<unknown>","<unknown>")"},
        CellCase{"NothingKnown", "nodes", "}",
                 R"("x","Unknown","<none>","60m","","<none>","<none>","<unknown>","<unknown>",)"
                 R"("<unknown>")"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Events, KindCellsTest,
    testing::Values(
        CellCase{"Core", "events",
                 R"(},"type":"Normal","reason":"Pulled","message":" done\n","count":3,)"
                 R"("involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec.containers{a}"},)"
                 R"("source":{"component":"kubelet","host":"n1"},)"
                 R"("firstTimestamp":"2026-01-01T10:50:00Z",)"
                 R"("lastTimestamp":"2026-01-01T10:59:57Z")",
                 R"("3s","Normal","Pulled","pod/p","spec.containers{a}","kubelet, n1","done",)"
                 R"("10m",3,"x")"},
        CellCase{"SeriesTellsTheLastTime", "events",
                 R"(},"type":"Warning","reason":"FailedScheduling","message":"no",)"
                 R"("involvedObject":{"kind":"Pod","name":"p"},"reportingComponent":"s",)"
                 R"("reportingInstance":"s-1","eventTime":"2026-01-01T10:59:50.000000Z",)"
                 R"("series":{"count":2,"lastObservedTime":"2026-01-01T10:59:57.000000Z"})",
                 R"("3s","Warning","FailedScheduling","pod/p","","s, s-1","no","10s",2,"x")"},
        CellCase{"EventsGroup", "events.events.k8s.io",
                 R"(},"type":"Normal","reason":"Scheduled","note":"ok","action":"Binding",)"
                 R"("regarding":{"kind":"Pod","name":"p"},"reportingController":"s",)"
                 R"("eventTime":"2026-01-01T10:59:58.000000Z")",
                 R"("2s","Normal","Scheduled","pod/p","","s","ok","2s",1,"x")"},
        CellCase{"NothingKnownOfTheEvent", "events", "}",
                 R"("<unknown>","","","","","","","<unknown>",1,"x")"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Network, KindCellsTest,
    testing::Values(
        CellCase{"ClusterIp", "services",
                 R"(},"spec":{"type":"ClusterIP","clusterIP":"10.1.0.1","selector":{"a":"b"},)"
                 R"("ports":[{"port":80,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]})",
                 R"("x","ClusterIP","10.1.0.1","<none>","80/TCP,53/UDP","60m","a=b")"},
        CellCase{"NodePort", "services",
                 R"(},"spec":{"type":"NodePort","clusterIPs":["10.1.0.2","f::"],)"
                 R"("externalIPs":["1.1.1.1","2.2.2.2"],"ports":[{"port":80,"nodePort":30080}]})",
                 R"("x","NodePort","10.1.0.2","1.1.1.1,2.2.2.2","80:30080/TCP","60m","<none>")"},
        CellCase{"LoadBalancerPending", "services",
                 R"(},"spec":{"type":"LoadBalancer","clusterIP":"10.1.0.3"})",
                 R"("x","LoadBalancer","10.1.0.3","<pending>","<none>","60m","<none>")"},
        CellCase{"LoadBalancerReady", "services",
                 R"(},"spec":{"type":"LoadBalancer","clusterIP":"10.1.0.3"},"status":)"
                 R"({"loadBalancer":{"ingress":[{"ip":"9.9.9.9"},{"hostname":"h"}]}})",
                 R"("x","LoadBalancer","10.1.0.3","9.9.9.9,h","<none>","60m","<none>")"},
        CellCase{"ExternalName", "services",
                 R"(},"spec":{"type":"ExternalName","externalName":"a.example"})",
                 R"("x","ExternalName","<none>","a.example","<none>","60m","<none>")"},
        CellCase{"EndpointsShortened", "endpoints",
                 R"(},"subsets":[{"addresses":[{"ip":"1.1.1.1"},{"ip":"f::2"}],)"
                 R"("ports":[{"port":80},{"port":81}]}])",
                 R"("x","1.1.1.1:80,[f::2]:80,1.1.1.1:81 + 1 more...","60m")"},
        CellCase{"NoEndpoints", "endpoints", "}", R"("x","<none>","60m")"},
        CellCase{"Slice", "endpointslices.discovery.k8s.io",
                 R"(},"addressType":"IPv4","ports":[{"port":80},{"name":"m"},{}],)"
                 R"("endpoints":[{"addresses":["1.1.1.1"]}])",
                 R"("x","IPv4","80,m,*","1.1.1.1","60m")"},
        CellCase{"EmptySlice", "endpointslices.discovery.k8s.io", R"(},"addressType":"IPv4")",
                 R"("x","IPv4","<unset>","<unset>","60m")"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Workloads, KindCellsTest,
    testing::Values(
        CellCase{"Deployment", "deployments.apps",
                 R"(},"spec":{"replicas":2,)" SELECTOR "," TEMPLATE R"(},"status":)"
                 R"({"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1})",
                 R"("x","1/2",2,1,"60m","c","i:1","app=web")"},
        CellCase{"DeploymentByDefaultHasOne", "deployments.apps", R"(},"spec":{)" TEMPLATE "}",
                 R"("x","0/1",0,0,"60m","c","i:1","")"},
        CellCase{"ReplicaSetWithExpressions", "replicasets.apps",
                 R"(},"spec":{"replicas":0,"selector":{"matchLabels":{"z":"1"},)"
                 R"("matchExpressions":[{"key":"b","operator":"In","values":["2","1"]},)"
                 R"({"key":"a","operator":"Exists"},{"key":"c","operator":"DoesNotExist"},)"
                 R"({"key":"d","operator":"NotIn","values":["3"]}]},)" TEMPLATE "}",
                 R"("x",0,0,0,"60m","c","i:1","a,b in (1,2),!c,d notin (3),z=1")"},
        CellCase{"ReplicationController", "replicationcontrollers",
                 R"(},"spec":{"replicas":3,"selector":{"a":"b"},)" TEMPLATE R"(},)"
                 R"("status":{"replicas":2,"readyReplicas":1})",
                 R"("x",3,2,1,"60m","c","i:1","a=b")"},
        CellCase{"StatefulSet", "statefulsets.apps",
                 R"(},"spec":{"replicas":3,)" TEMPLATE R"(},"status":{"readyReplicas":3})",
                 R"("x","3/3","60m","c","i:1")"},
        CellCase{"DaemonSet", "daemonsets.apps",
                 R"(},"spec":{)" SELECTOR "," TEMPLATE R"(},"status":{"desiredNumberScheduled":5,)"
                 R"("currentNumberScheduled":4,"numberReady":3,"updatedNumberScheduled":2,)"
                 R"("numberAvailable":1})",
                 R"("x",5,4,3,2,1,"<none>","60m","c","i:1","app=web")"},
        CellCase{"JobRuns", "jobs.batch",
                 R"(},"spec":{"completions":4,)" SELECTOR "," TEMPLATE R"(},)"
                 R"("status":{"succeeded":1,"startTime":"2026-01-01T10:58:00Z"})",
                 R"("x","Running","1/4","2m","60m","c","i:1","app=web")"},
        CellCase{"JobComplete", "jobs.batch",
                 R"(},"spec":{"completions":1,)" TEMPLATE R"(},"status":{"succeeded":1,)"
                 R"("startTime":"2026-01-01T10:00:00Z","completionTime":"2026-01-01T10:00:05Z",)"
                 R"("conditions":[{"type":"SuccessCriteriaMet","status":"True"},)"
                 R"({"type":"Complete","status":"True"}]})",
                 R"("x","Complete","1/1","5s","60m","c","i:1","<none>")"},
        CellCase{"JobSuspendedWithoutCompletions", "jobs.batch",
                 R"(},"spec":{"parallelism":3},"status":{"conditions":)"
                 R"([{"type":"Suspended","status":"True"}]})",
                 R"("x","Suspended","0/1 of 3","","60m","","","<none>")"},
        CellCase{"JobTerminating", "jobs.batch",
                 R"(,"deletionTimestamp":"2026-01-01T10:59:00Z"},"spec":{"parallelism":1})",
                 R"("x","Terminating","0/1","","60m","","","<none>")"},
        CellCase{
            "CronJob", "cronjobs.batch",
            R"(},"spec":{"schedule":"* * * * *","suspend":false,"jobTemplate":{"spec":{)" TEMPLATE
            R"(}}},"status":{"active":[{}],)"
            R"("lastScheduleTime":"2026-01-01T10:59:30Z"})",
            R"("x","* * * * *","<none>","False",1,"30s","60m","c","i:1","<none>")"},
        CellCase{"Budget", "poddisruptionbudgets.policy",
                 R"(},"spec":{"minAvailable":"50%"},"status":{"disruptionsAllowed":2})",
                 R"("x","50%","N/A",2,"60m")"},
        CellCase{"BudgetOfANumber", "poddisruptionbudgets.policy",
                 R"(},"spec":{"maxUnavailable":1})", R"("x","N/A","1",0,"60m")"},
        CellCase{"PriorityClass", "priorityclasses.scheduling.k8s.io",
                 R"(},"value":1000,"globalDefault":true,"preemptionPolicy":"Never")",
                 R"("x",1000,true,"60m","Never")"},
        CellCase{"Autoscaler", "horizontalpodautoscalers.autoscaling",
                 R"(},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},)"
                 R"("maxReplicas":5,"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
                 R"("target":{"averageUtilization":80}}},{"type":"External","external":)"
                 R"({"target":{"averageValue":"5"}}},{"type":"Pods"}]},"status":)"
                 R"({"currentReplicas":2,"currentMetrics":[{"resource":{"current":)"
                 R"({"averageUtilization":20}}}]})",
                 R"("x","Deployment/web","cpu: 20%/80%, <unknown>/5 (avg) + 1 more...",)"
                 R"("<unset>",5,2,"60m")"},
        CellCase{"ControllerRevision", "controllerrevisions.apps",
                 R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d",)"
                 R"("controller":true}]},"revision":2)",
                 R"("x","daemonset.apps/d",2,"60m")"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Storage, KindCellsTest,
    testing::Values(
        CellCase{"BoundVolume", "persistentvolumes",
                 R"(},"spec":{"capacity":{"storage":"5Gi"},"accessModes":["ReadWriteMany",)"
                 R"("ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",)"
                 R"("claimRef":{"namespace":"d","name":"c"},"storageClassName":"fast",)"
                 R"("volumeMode":"Block"},"status":{"phase":"Bound"})",
                 R"("x","5Gi","RWO,RWX","Retain","Bound","d/c","fast","<unset>","","60m",)"
                 R"("Block")"},
        CellCase{"TerminatingVolume", "persistentvolumes",
                 R"(,"deletionTimestamp":"2026-01-01T10:59:00Z"},"status":{"phase":"Released"})",
                 R"("x","0","","","Terminating","","","<unset>","","60m","<unset>")"},
        CellCase{"BoundClaim", "persistentvolumeclaims",
                 R"(},"spec":{"volumeName":"v","storageClassName":"fast",)"
                 R"("volumeMode":"Filesystem"},"status":{"phase":"Bound",)"
                 R"("accessModes":["ReadWriteOncePod"],"capacity":{"storage":"1Gi"}})",
                 R"("x","Bound","v","1Gi","RWOP","fast","<unset>","60m","Filesystem")"},
        CellCase{"PendingClaim", "persistentvolumeclaims",
                 R"(},"spec":{"accessModes":["ReadWriteOnce"]},"status":{"phase":"Pending"})",
                 R"("x","Pending","","","","","<unset>","60m","<unset>")"},
        CellCase{"DefaultClass", "storageclasses.storage.k8s.io",
                 R"(,"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},)"
                 R"("provisioner":"p","volumeBindingMode":"WaitForFirstConsumer")",
                 R"_("x (default)","p","Delete","WaitForFirstConsumer",false,"60m")_"},
        CellCase{"CsiNode", "csinodes.storage.k8s.io", R"(},"spec":{"drivers":[{},{}]})",
                 R"("x",2,"60m")"},
        CellCase{"CsiDriver", "csidrivers.storage.k8s.io",
                 R"(},"spec":{"storageCapacity":true,"volumeLifecycleModes":["Persistent"]})",
                 R"("x",true,false,true,"<unset>",false,"Persistent","60m")"},
        CellCase{"Capacity", "csistoragecapacities.storage.k8s.io",
                 R"(},"storageClassName":"s","capacity":"1Ti")", R"("x","s","1Ti")"},
        CellCase{"Attachment", "volumeattachments.storage.k8s.io",
                 R"(},"spec":{"attacher":"a","nodeName":"n","source":)"
                 R"({"persistentVolumeName":"v"}},"status":{"attached":true})",
                 R"("x","a","v","n",true,"60m")"},
        CellCase{"PendingDevice", "resourceclaims.resource.k8s.io", "}", R"("x","pending","60m")"},
        CellCase{"ReservedDevice", "resourceclaims.resource.k8s.io",
                 R"(},"status":{"allocation":{},"reservedFor":[{}]})",
                 R"("x","allocated,reserved","60m")"},
        CellCase{"DeletedDevice", "resourceclaims.resource.k8s.io",
                 R"(,"deletionTimestamp":"2026-01-01T10:59:00Z"})", R"("x","deleted","60m")"},
        CellCase{"DeviceSlice", "resourceslices.resource.k8s.io",
                 R"(},"spec":{"nodeName":"n","driver":"d","pool":{"name":"p"}})",
                 R"("x","n","d","p","60m")"},
        CellCase{"DeviceClass", "deviceclasses.resource.k8s.io", "}", R"("x","60m")"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Others, KindCellsTest,
    testing::Values(
        CellCase{"ConfigMap", "configmaps", R"(},"data":{"a":"1"},"binaryData":{"b":"","c":""})",
                 R"("x",3,"60m")"},
        CellCase{"Secret", "secrets", R"(},"type":"t","data":{"a":""})", R"("x","t",1,"60m")"},
        CellCase{"ServiceAccount", "serviceaccounts", "}", R"("x","60m")"},
        CellCase{"Lease", "leases.coordination.k8s.io", R"(},"spec":{"holderIdentity":"me"})",
                 R"("x","me","60m")"},
        CellCase{
            "LeaseCandidate", "leasecandidates.coordination.k8s.io",
            R"(},"spec":{"leaseName":"l","binaryVersion":"1.36.0","emulationVersion":"1.35.0"})",
            R"("x","l","1.36.0","1.35.0","60m")"},
        CellCase{"Quota", "resourcequotas",
                 R"(},"status":{"hard":{"pods":"4","limits.cpu":2},"used":{"pods":"1"}})",
                 R"("x","pods: 1/4","limits.cpu: 0/2","60m")"},
        CellCase{"RoleBinding", "rolebindings.rbac.authorization.k8s.io",
                 R"(},"roleRef":{"kind":"Role","name":"r"},"subjects":[)"
                 R"({"kind":"User","name":"u"},{"kind":"Group","name":"g"},)"
                 R"({"kind":"ServiceAccount","namespace":"n","name":"s"}])",
                 R"("x","Role/r","60m","u","g","n/s")"},
        CellCase{"KindWithoutLayout", "clusterroles.rbac.authorization.k8s.io", "}",
                 R"("x","2026-01-01T10:00:00Z")"}),
    kName);

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::printing
