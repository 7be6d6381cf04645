// The causes of invalid objects.
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

struct Case {
  const char* name;
  const char* kind;
  std::string given;
  const char* want;
};

class Validation : public ::testing::TestWithParam<Case> {};

TEST_P(Validation, NamesFieldAndValue) {
  registry::ApiFixture fixture;
  EXPECT_EQ(registry::CausesOf(fixture.Create(GetParam().kind, GetParam().given)), GetParam().want);
}

std::string Pod(const std::string& spec) {
  return "{'metadata':{'name':'a'},'spec':{" + spec + "'containers':[{'name':'c','image':'i'}]}}";
}
std::string Container(const std::string& rest) {
  return "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'," + rest + "}]}}";
}
std::string Resources(const std::string& lists) { return Container("'resources':{" + lists + "}"); }

INSTANTIATE_TEST_SUITE_P(
    Pods, Validation,
    ::testing::Values(
        Case{"NoContainers", "pods", "{'metadata':{'name':'a'},'spec':{}}",
             "spec.containers: Required value"},
        Case{"ContainersWithoutNames", "pods",
             "{'metadata':{'name':'a'},'spec':{'containers':[{'image':'i'},{'name':'C'}]}}",
             "spec.containers[0].name: Required value\n"
             "spec.containers[1].name: Invalid value: \"C\": a lowercase RFC 1123 label must "
             "consist of lower case alphanumeric characters or '-', and must start and end with an "
             "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
             "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
             "spec.containers[1].image: Required value"},
        Case{"ContainersOfOneName", "pods",
             "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}],"
             "'initContainers':[{'name':'c','image':'i'}]}}",
             "spec.initContainers[0].name: Duplicate value: \"c\""},
        Case{"DeviceClaims", "pods",
             Pod("'resourceClaims':[{'name':'a','resourceClaimName':'x'},{'name':'a',"
                 "'resourceClaimTemplateName':'x'},{'name':'b'},{'name':'c','resourceClaimName':"
                 "'x','resourceClaimTemplateName':'y'}],"),
             "spec.resourceClaims[1].name: Duplicate value: \"a\"\n"
             "spec.resourceClaims[2]: Invalid value: {\"name\":\"b\"}: must specify one of: "
             "`resourceClaimName`, `resourceClaimTemplateName`\n"
             "spec.resourceClaims[3]: Invalid value: {\"name\":\"c\",\"resourceClaimName\":\"x\","
             "\"resourceClaimTemplateName\":\"y\"}: at most one of `resourceClaimName` or "
             "`resourceClaimTemplateName` may be specified"},
        Case{
            "DeviceClaimsOfAContainer", "pods",
            "{'metadata':{'name':'a'},'spec':{'resourceClaims':[{'name':'x','resourceClaimName':"
            "'x'}],'containers':[{'name':'c','image':'i','resources':{'claims':[{'name':'x',"
            "'request':'r'},{'name':'x'},{'name':'x','request':'s'},{'name':'y'}]}}]}}",
            "spec.containers[0].resources.claims[1]: Duplicate value: \"x\"\n"
            "spec.containers[0].resources.claims[2]: Duplicate value: \"x\"\n"
            "spec.containers[0].resources.claims[3]: Not found: \"y\": must be one of the names in "
            "pod.spec.resourceClaims: x"},
        Case{"ARequestBeyondItsLimit", "pods",
             Resources("'requests':{'cpu':'2'},'limits':{'cpu':'1'}"),
             "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or "
             "equal to cpu limit of 1"},
        Case{"ANegativeRequest", "pods", Resources("'requests':{'memory':'-1'}"),
             "spec.containers[0].resources.requests[memory]: Invalid value: \"-1\": must be "
             "greater than or equal to 0"},
        Case{"HalfAnExtendedResource", "pods",
             Resources("'requests':{'x.com/gpu':'500m'},'limits':{'x.com/gpu':'500m'}"),
             "spec.containers[0].resources.limits[x.com/gpu]: Invalid value: \"500m\": must be an "
             "integer\n"
             "spec.containers[0].resources.requests[x.com/gpu]: Invalid value: \"500m\": must be "
             "an integer"},
        Case{"AnExtendedResourceWithoutLimit", "pods", Resources("'requests':{'x.com/gpu':'1'}"),
             "spec.containers[0].resources.limits: Required value: Limit must be set for non "
             "overcommitable resources"},
        Case{"AnUnknownResource", "pods", Resources("'requests':{'gpu':'1'}"),
             "spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a "
             "standard resource for containers"},
        Case{"APortOutOfRange", "pods", Container("'ports':[{'containerPort':70000}]"),
             "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 "
             "and 65535, inclusive"},
        Case{"AMountOfNothing", "pods", Container("'volumeMounts':[{'name':'v','mountPath':'/x'}]"),
             "spec.containers[0].volumeMounts[0].name: Not found: \"v\""},
        Case{"APolicyThatIsNone", "pods", Pod("'restartPolicy':'Sometimes',"),
             "spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", "
             "\"Never\", \"OnFailure\""},
        Case{"ATolerationOfAllWithAValue", "pods",
             Pod("'tolerations':[{'key':'k','operator':'Exists','value':'v'},"
                 "{'operator':'Equal','effect':'NoExecute','tolerationSeconds':1},"
                 "{'key':'k','operator':'Like','effect':'Never'}],"),
             "spec.tolerations[0].operator: Invalid value: \"v\": value must be empty when "
             "`operator` is 'Exists'\n"
             "spec.tolerations[1].operator: Invalid value: \"Equal\": operator must be Exists when "
             "`key` is empty, which means \"match all values and all keys\"\n"
             "spec.tolerations[2].operator: Unsupported value: \"Like\": supported values: "
             "\"Equal\", \"Exists\"\n"
             "spec.tolerations[2].effect: Unsupported value: \"Never\": supported values: "
             "\"NoExecute\", \"NoSchedule\", \"PreferNoSchedule\""},
        Case{"SpreadWithoutSense", "pods",
             Pod("'topologySpreadConstraints':[{'maxSkew':0,'whenUnsatisfiable':'Maybe'}],"),
             "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than "
             "zero\n"
             "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty\n"
             "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"Maybe\": "
             "supported values: \"DoNotSchedule\", \"ScheduleAnyway\""},
        Case{"AffinityWithoutSense", "pods",
             Pod("'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                 "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'k','operator':'In'}]}]},"
                 "'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':0,'preference':{}}]}"
                 ",'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{}]}},"),
             "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
             "nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified "
             "when `operator` is 'In' or 'NotIn'\n"
             "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight:"
             " Invalid value: 0: must be in the range 1-100\n"
             "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
             "topologyKey: Required value: can not be empty"},
        Case{"AGateAndANode", "pods", Pod("'schedulingGates':[{'name':'g'}],'nodeName':'n',"),
             "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"},
        Case{"ABadLabel", "pods",
             "{'metadata':{'name':'a','labels':{'x':'no spaces'}},"
             "'spec':{'containers':[{'name':'c','image':'i'}]}}",
             "metadata.labels: Invalid value: \"no spaces\": a valid label must be an empty string "
             "or consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
             "an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
             "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"}),
    [](const auto& test) { return test.param.name; });

std::string Deployment(const std::string& spec) {
  return "{'metadata':{'name':'d'},'spec':{" + spec +
         "'template':{'metadata':{'labels':{'a':'b'}},"
         "'spec':{'containers':[{'name':'c','image':'i'}]}}}}";
}

INSTANTIATE_TEST_SUITE_P(
    OtherKinds, Validation,
    ::testing::Values(
        Case{"AMountOfNeitherVolumeNorClaim", "statefulsets.apps",
             "{'metadata':{'name':'s'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
             "'volumeClaimTemplates':[{'metadata':{'name':'www'},'spec':{'accessModes':"
             "['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}],"
             "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"
             "'image':'i','volumeMounts':[{'name':'www','mountPath':'/w'},"
             "{'name':'v','mountPath':'/x'}]}]}}}}",
             "spec.template.spec.containers[0].volumeMounts[1].name: Not found: \"v\""},
        Case{"ADeploymentWithoutSelector", "deployments.apps", Deployment(""),
             "spec.selector: Required value"},
        Case{"ASelectorThatMissesItsPods", "deployments.apps",
             Deployment("'selector':{'matchLabels':{'a':'c'}},'replicas':-1,"),
             "spec.replicas: Invalid value: -1: must be greater than or equal to 0\n"
             "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not "
             "match template `labels`"},
        Case{"AnEmptySelector", "deployments.apps", Deployment("'selector':{},"),
             "spec.selector: Invalid value: {}: empty selector is invalid for deployment"},
        Case{"AJobThatNeverEnds", "jobs.batch",
             "{'metadata':{'name':'j'},'spec':{'template':{'spec':{'containers':"
             "[{'name':'c','image':'i'}]}}}}",
             "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
             "\"Never\""},
        Case{"ATaintTwice", "nodes",
             "{'metadata':{'name':'n'},'spec':{'taints':[{'key':'k','effect':'NoExecute'},"
             "{'key':'k','effect':'NoExecute','value':'v'},{'key':'k','effect':'Go'}]},"
             "'status':{'conditions':[{'type':'Ready','status':'True'}]}}",
             "spec.taints[1]: Duplicate value: \"k:NoExecute\"\n"
             "spec.taints[2].effect: Unsupported value: \"Go\": supported values: \"NoSchedule\", "
             "\"PreferNoSchedule\", \"NoExecute\""},
        Case{"APriorityBeyondUsers", "priorityclasses.scheduling.k8s.io",
             "{'metadata':{'name':'p'},'value':1000000001}",
             "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"},
        Case{"AReservedName", "priorityclasses.scheduling.k8s.io",
             "{'metadata':{'name':'system-mine'},'value':1}",
             "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved "
             "for system use only. error: system-mine is not a known system priority class"},
        Case{"ABudgetOfBoth", "poddisruptionbudgets.policy",
             "{'metadata':{'name':'b'},'spec':{'minAvailable':1,'maxUnavailable':'x'}}",
             "spec: Invalid value: {\"minAvailable\":1,\"maxUnavailable\":\"x\"}: minAvailable and "
             "maxUnavailable cannot be both set\n"
             "spec.maxUnavailable: Invalid value: \"x\": a valid percent string must be a numeric "
             "string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is "
             "'[0-9]+%')"},
        Case{"ALeaseOfNoTime", "leases.coordination.k8s.io",
             "{'metadata':{'name':'l'},'spec':{'leaseDurationSeconds':0}}",
             "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"},
        Case{"ALeaseWithAPreferredHolderOnly", "leases.coordination.k8s.io",
             "{'metadata':{'name':'l'},'spec':{'preferredHolder':'h'}}",
             "spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"},
        Case{"ALeaseWithAnUnknownStrategy", "leases.coordination.k8s.io",
             "{'metadata':{'name':'l'},'spec':{'strategy':'Best'}}",
             "spec.strategy.strategy: Unsupported value: \"Best\": supported values: "
             "\"OldestEmulationVersion\""},
        Case{"ACandidate", "leasecandidates.coordination.k8s.io",
             "{'metadata':{'name':'Host_1'},'spec':{'leaseName':'l','binaryVersion':'1.36.0',"
             "'emulationVersion':'1.35.0','strategy':'OldestEmulationVersion'}}",
             ""},
        Case{"ACandidateOfAnotherStrategy", "leasecandidates.coordination.k8s.io",
             "{'metadata':{'name':'c'},'spec':{'leaseName':'l','binaryVersion':'1.36.0',"
             "'strategy':'example.com/mine'}}",
             ""},
        Case{"AnEmptyCandidate", "leasecandidates.coordination.k8s.io",
             "{'metadata':{'name':'c'},'spec':{}}",
             "spec.leaseName: Required value\n"
             "spec.binaryVersion: Required value\n"
             "spec.strategy: Required value"},
        Case{"ACandidateWithWrongVersions", "leasecandidates.coordination.k8s.io",
             "{'metadata':{'name':'a b'},'spec':{'leaseName':'l','binaryVersion':'1.36',"
             "'strategy':'OldestEmulationVersion'}}",
             "metadata.name: Invalid value: \"a b\": a valid config key must consist of "
             "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
             "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')\n"
             "spec.binaryVersion: Invalid value: \"1.36\": must be a valid semantic version\n"
             "spec.emulationVersion: Required value: must be specified when `strategy` is "
             "'OldestEmulationVersion'"},
        Case{"ACandidateThatEmulatesTheFuture", "leasecandidates.coordination.k8s.io",
             "{'metadata':{'name':'c'},'spec':{'leaseName':'l','binaryVersion':'1.35.0',"
             "'emulationVersion':'1.36.0','strategy':'OldestEmulationVersion'}}",
             "spec.binaryVersion: Invalid value: \"1.35.0\": must be greater than or equal to "
             "`emulationVersion`"},
        Case{"AServiceWithoutPorts", "services", "{'metadata':{'name':'s'},'spec':{}}",
             "spec.ports: Required value"},
        Case{"ANamespaceWithADot", "namespaces", "{'metadata':{'name':'a.b'}}",
             "metadata.name: Invalid value: \"a.b\": a lowercase RFC 1123 label must consist of "
             "lower case alphanumeric characters or '-', and must start and end with an "
             "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
             "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"},
        Case{"AClaimOfNothing", "persistentvolumeclaims", "{'metadata':{'name':'c'},'spec':{}}",
             "spec.accessModes: Required value: at least 1 access mode is required\n"
             "spec.resources[storage]: Required value"},
        Case{"AnOwnerWithoutUid", "configmaps",
             "{'metadata':{'name':'m','ownerReferences':[{'apiVersion':'v1','kind':'Pod',"
             "'name':'p'}]}}",
             "metadata.ownerReferences[0].uid: Invalid value: \"\": uid must not be empty"}),
    [](const auto& test) { return test.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
