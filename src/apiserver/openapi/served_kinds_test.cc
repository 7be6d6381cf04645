// What discovery says is what a kube-apiserver v1.36.4 without flags serves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "api/json/view.h"
#include "apiserver/openapi/discovery.h"

namespace berth::apiserver::openapi {
namespace BERTH_TEST_FILE {

// The resources of each version: name, kind, what differs from a namespaced resource with all
// verbs, and subresources with kind and verbs unless they are those of a status. With
// LeaseCandidates, which a kube-apiserver serves with the feature CoordinatedLeaderElection.
constexpr std::string_view kServed = R"(v1
  bindings Binding verbs=create
  componentstatuses ComponentStatus cluster verbs=get,list short=cs
  configmaps ConfigMap short=cm
  endpoints Endpoints short=ep
  events Event short=ev
  limitranges LimitRange short=limits
  namespaces Namespace cluster verbs=create,delete,get,list,patch,update,watch short=ns
    /finalize:Namespace:update /status
  nodes Node cluster short=no /proxy:NodeProxyOptions:create,delete,get,patch,update /status
  persistentvolumeclaims PersistentVolumeClaim short=pvc /status
  persistentvolumes PersistentVolume cluster short=pv /status
  pods Pod short=po categories=all /attach:PodAttachOptions:create,get /binding:Binding:create
    /ephemeralcontainers /eviction:policy/v1.Eviction:create /exec:PodExecOptions:create,get
    /log:Pod:get /portforward:PodPortForwardOptions:create,get
    /proxy:PodProxyOptions:create,delete,get,patch,update /resize /status
  podtemplates PodTemplate
  replicationcontrollers ReplicationController short=rc categories=all
    /scale:autoscaling/v1.Scale:get,patch,update /status
  resourcequotas ResourceQuota short=quota /status
  secrets Secret
  serviceaccounts ServiceAccount short=sa
    /token:authentication.k8s.io/v1.TokenRequest:create
  services Service short=svc categories=all
    /proxy:ServiceProxyOptions:create,delete,get,patch,update /status
admissionregistration.k8s.io/v1
  mutatingadmissionpolicies MutatingAdmissionPolicy cluster categories=api-extensions
  mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster categories=api-extensions
  mutatingwebhookconfigurations MutatingWebhookConfiguration cluster categories=api-extensions
  validatingadmissionpolicies ValidatingAdmissionPolicy cluster categories=api-extensions /status
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster
    categories=api-extensions
  validatingwebhookconfigurations ValidatingWebhookConfiguration cluster categories=api-extensions
apiextensions.k8s.io/v1
  customresourcedefinitions CustomResourceDefinition cluster short=crd,crds
    categories=api-extensions /status
apiregistration.k8s.io/v1
  apiservices APIService cluster categories=api-extensions /status
apps/v1
  controllerrevisions ControllerRevision
  daemonsets DaemonSet short=ds categories=all /status
  deployments Deployment short=deploy categories=all /scale:autoscaling/v1.Scale:get,patch,update
    /status
  replicasets ReplicaSet short=rs categories=all /scale:autoscaling/v1.Scale:get,patch,update
    /status
  statefulsets StatefulSet short=sts categories=all /scale:autoscaling/v1.Scale:get,patch,update
    /status
authentication.k8s.io/v1
  selfsubjectreviews SelfSubjectReview cluster verbs=create
  tokenreviews TokenReview cluster verbs=create
authorization.k8s.io/v1
  localsubjectaccessreviews LocalSubjectAccessReview verbs=create
  selfsubjectaccessreviews SelfSubjectAccessReview cluster verbs=create
  selfsubjectrulesreviews SelfSubjectRulesReview cluster verbs=create
  subjectaccessreviews SubjectAccessReview cluster verbs=create
autoscaling/v2
  horizontalpodautoscalers HorizontalPodAutoscaler short=hpa categories=all /status
autoscaling/v1
  horizontalpodautoscalers HorizontalPodAutoscaler short=hpa categories=all /status
batch/v1
  cronjobs CronJob short=cj categories=all /status
  jobs Job categories=all /status
certificates.k8s.io/v1
  certificatesigningrequests CertificateSigningRequest cluster short=csr /approval /status
coordination.k8s.io/v1
  leases Lease
coordination.k8s.io/v1beta1
  leasecandidates LeaseCandidate
discovery.k8s.io/v1
  endpointslices EndpointSlice
events.k8s.io/v1
  events Event short=ev
flowcontrol.apiserver.k8s.io/v1
  flowschemas FlowSchema cluster /status
  prioritylevelconfigurations PriorityLevelConfiguration cluster /status
networking.k8s.io/v1
  ingressclasses IngressClass cluster
  ingresses Ingress short=ing /status
  ipaddresses IPAddress cluster short=ip
  networkpolicies NetworkPolicy short=netpol
  servicecidrs ServiceCIDR cluster /status
node.k8s.io/v1
  runtimeclasses RuntimeClass cluster
policy/v1
  poddisruptionbudgets PodDisruptionBudget short=pdb /status
rbac.authorization.k8s.io/v1
  clusterrolebindings ClusterRoleBinding cluster
  clusterroles ClusterRole cluster
  rolebindings RoleBinding
  roles Role
resource.k8s.io/v1
  deviceclasses DeviceClass cluster
  resourceclaims ResourceClaim /status
  resourceclaimtemplates ResourceClaimTemplate
  resourceslices ResourceSlice cluster
scheduling.k8s.io/v1
  priorityclasses PriorityClass cluster short=pc
storage.k8s.io/v1
  csidrivers CSIDriver cluster
  csinodes CSINode cluster
  csistoragecapacities CSIStorageCapacity
  storageclasses StorageClass cluster short=sc
  volumeattachments VolumeAttachment cluster /status
  volumeattributesclasses VolumeAttributesClass cluster short=vac
)";

std::string Joined(api::JsonView texts) {
  std::vector<std::string_view> sorted;
  for (const api::JsonView text : texts.items()) sorted.push_back(text.text());
  std::ranges::sort(sorted);
  return fmt::format("{}", fmt::join(sorted, ","));
}

std::string Subresource(api::JsonView subresource, std::string_view kind) {
  const api::JsonView response = subresource["responseKind"];
  const std::string verbs = Joined(subresource["verbs"]);
  std::string text = fmt::format(" /{}", subresource["subresource"].text());
  if (verbs == "get,patch,update" && response["kind"].text() == kind) return text;
  text += ':';
  if (!response["group"].text().empty()) {
    text += fmt::format("{}/{}.", response["group"].text(), response["version"].text());
  }
  return text + fmt::format("{}:{}", response["kind"].text(), verbs);
}

std::string Resource(api::JsonView resource) {
  const std::string kind(resource["responseKind"]["kind"].text());
  std::string singular = kind;
  std::ranges::transform(singular, singular.begin(), [](unsigned char c) { return tolower(c); });
  EXPECT_EQ(resource["singularResource"].text(), singular);
  std::string line = fmt::format("{} {}", resource["resource"].text(), kind);
  if (resource["scope"].text() == "Cluster") line += " cluster";
  const std::string verbs = Joined(resource["verbs"]);
  if (verbs != "create,delete,deletecollection,get,list,patch,update,watch") {
    line += " verbs=" + verbs;
  }
  if (resource["shortNames"]) line += " short=" + Joined(resource["shortNames"]);
  if (resource["categories"]) line += " categories=" + Joined(resource["categories"]);
  for (const api::JsonView subresource : resource["subresources"].items()) {
    line += Subresource(subresource, kind);
  }
  return line;
}

// Returns "apps/v1 deployments Deployment ..." for each resource of the table.
std::set<std::string> Wanted() {
  std::vector<std::string> lines;
  std::string version;
  std::istringstream table{std::string(kServed)};
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("    ")) {
      lines.back() += line.substr(3);
    } else if (line.starts_with("  ")) {
      lines.push_back(version + line.substr(1));
    } else {
      version = line;
    }
  }
  return {lines.begin(), lines.end()};
}

TEST(ServedKinds, AreThoseOfADefaultServer) {
  std::set<std::string> served;
  for (const bool core : {true, false}) {
    const api::Json document = boost::json::parse(AggregatedDiscovery(KindSet(), core, "v2"));
    for (const api::JsonView group : api::JsonView(document)["items"].items()) {
      const std::string_view name = group["metadata"]["name"].text();
      for (const api::JsonView version : group["versions"].items()) {
        const std::string prefix =
            (name.empty() ? "" : std::string(name) + "/") + std::string(version["version"].text());
        for (const api::JsonView resource : version["resources"].items()) {
          served.insert(prefix + " " + Resource(resource));
        }
      }
    }
  }
  const std::set<std::string> wanted = Wanted();
  for (const std::string& line : wanted) EXPECT_TRUE(served.contains(line)) << "missing: " << line;
  for (const std::string& line : served) EXPECT_TRUE(wanted.contains(line)) << "extra: " << line;
}

TEST(ServedKinds, AGroupHasAllItsVersionsThePreferredFirst) {
  EXPECT_EQ(ApiGroup(KindSet(), "autoscaling"),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"autoscaling","versions":[)"
            R"({"groupVersion":"autoscaling/v2","version":"v2"},)"
            R"({"groupVersion":"autoscaling/v1","version":"v1"}],)"
            R"("preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}})");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::openapi
