// The rows of the scheme: first the core group, then the named groups.
#include "api/scheme/kind_tables.h"

namespace berth::api::scheme {
namespace {

// A core kind with neither status nor generation.
Kind Plain(std::string_view resource, std::string_view kind, std::string_view singular,
           std::vector<std::string_view> short_names = {}) {
  return {.version = "v1",
          .resource = resource,
          .kind = kind,
          .singular = singular,
          .verbs = kAllVerbs,
          .short_names = std::move(short_names),
          .has_generation = false};
}

Kind Pods() {
  return {.version = "v1",
          .resource = "pods",
          .kind = "Pod",
          .singular = "pod",
          .verbs = kAllVerbs,
          .short_names = {"po"},
          .categories = {"all"},
          .subresources = {Connection("attach", "PodAttachOptions", kStream),
                           {"binding", "Binding", "", "v1", kCreateOnly},
                           {"ephemeralcontainers", "Pod", "", "", kReadAndWrite},
                           {"eviction", "Eviction", "policy", "v1", kCreateOnly},
                           Connection("exec", "PodExecOptions", kStream),
                           {"log", "Pod", "", "", {"get"}},
                           Connection("portforward", "PodPortForwardOptions", kStream),
                           Connection("proxy", "PodProxyOptions", kProxy),
                           {"resize", "Pod", "", "", kReadAndWrite},
                           StatusOf("Pod")},
          .selectable_fields = {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
                                "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
                                "status.podIP", "status.nominatedNodeName"},
          .has_status = true};
}

Kind Namespaces() {
  return {.version = "v1",
          .resource = "namespaces",
          .kind = "Namespace",
          .singular = "namespace",
          .namespaced = false,
          .verbs = {"create", "delete", "get", "list", "patch", "update", "watch"},
          .short_names = {"ns"},
          .subresources = {{"finalize", "Namespace", "", "", {"update"}}, StatusOf("Namespace")},
          .selectable_fields = {"status.phase"},
          .has_generation = false,
          .has_status = true};
}

}  // namespace

std::vector<Kind> CoreKinds() {
  std::vector<Kind> kinds;

  kinds.push_back(Plain("bindings", "Binding", "binding"));
  kinds.back().verbs = kCreateOnly;
  kinds.back().stored = false;
  kinds.push_back(Plain("componentstatuses", "ComponentStatus", "componentstatus", {"cs"}));
  kinds.back().namespaced = false;
  kinds.back().verbs = {"get", "list"};

  kinds.push_back(Plain("configmaps", "ConfigMap", "configmap", {"cm"}));
  kinds.push_back(Plain("endpoints", "Endpoints", "endpoints", {"ep"}));
  kinds.back().create_on_update = true;

  kinds.push_back(Plain("events", "Event", "event", {"ev"}));
  // events.k8s.io has the same fields by other names, except the last.
  kinds.back().selectable_fields = {"involvedObject.kind",
                                    "involvedObject.namespace",
                                    "involvedObject.name",
                                    "involvedObject.uid",
                                    "involvedObject.apiVersion",
                                    "involvedObject.resourceVersion",
                                    "involvedObject.fieldPath",
                                    "reason",
                                    "reportingComponent",
                                    "type",
                                    "source"};
  kinds.back().create_on_update = true;

  kinds.push_back(Plain("limitranges", "LimitRange", "limitrange", {"limits"}));
  kinds.back().create_on_update = true;

  kinds.push_back(Namespaces());

  kinds.push_back(Plain("nodes", "Node", "node", {"no"}));
  kinds.back().namespaced = false;
  kinds.back().subresources = {Connection("proxy", "NodeProxyOptions", kProxy), StatusOf("Node")};
  kinds.back().selectable_fields = {"spec.unschedulable"};
  kinds.back().has_status = true;

  kinds.push_back(
      Plain("persistentvolumeclaims", "PersistentVolumeClaim", "persistentvolumeclaim", {"pvc"}));
  kinds.back().subresources = {StatusOf("PersistentVolumeClaim")};
  kinds.back().has_status = true;

  kinds.push_back(Plain("persistentvolumes", "PersistentVolume", "persistentvolume", {"pv"}));
  kinds.back().namespaced = false;
  kinds.back().subresources = {StatusOf("PersistentVolume")};
  kinds.back().has_status = true;

  kinds.push_back(Pods());

  kinds.push_back(Plain("podtemplates", "PodTemplate", "podtemplate"));
  kinds.back().has_generation = true;

  kinds.push_back(
      Plain("replicationcontrollers", "ReplicationController", "replicationcontroller", {"rc"}));
  kinds.back().categories = {"all"};
  kinds.back().subresources = {Scale(), StatusOf("ReplicationController")};
  kinds.back().selectable_fields = {"status.replicas"};
  kinds.back().has_generation = true;
  kinds.back().has_status = true;

  kinds.push_back(Plain("resourcequotas", "ResourceQuota", "resourcequota", {"quota"}));
  kinds.back().subresources = {StatusOf("ResourceQuota")};
  kinds.back().has_status = true;

  kinds.push_back(Plain("secrets", "Secret", "secret"));
  kinds.back().selectable_fields = {"type"};

  kinds.push_back(Plain("serviceaccounts", "ServiceAccount", "serviceaccount", {"sa"}));
  kinds.back().subresources = {
      {"token", "TokenRequest", "authentication.k8s.io", "v1", kCreateOnly}};

  kinds.push_back(Plain("services", "Service", "service", {"svc"}));
  kinds.back().categories = {"all"};
  kinds.back().subresources = {Connection("proxy", "ServiceProxyOptions", kProxy),
                               StatusOf("Service")};
  kinds.back().selectable_fields = {"spec.clusterIP", "spec.type"};
  kinds.back().has_status = true;
  kinds.back().create_on_update = true;

  return kinds;
}

namespace {

// A kind with a spec, a status and a generation.
Kind WithStatus(std::string_view group, std::string_view version, std::string_view resource,
                std::string_view kind, std::string_view singular,
                std::vector<std::string_view> short_names = {}) {
  return {.group = group,
          .version = version,
          .resource = resource,
          .kind = kind,
          .singular = singular,
          .verbs = kAllVerbs,
          .short_names = std::move(short_names),
          .subresources = {StatusOf(kind)},
          .has_status = true};
}

// A kind with neither status nor generation.
Kind Plain(std::string_view group, std::string_view resource, std::string_view kind,
           std::string_view singular, bool namespaced) {
  return {.group = group,
          .version = "v1",
          .resource = resource,
          .kind = kind,
          .singular = singular,
          .namespaced = namespaced,
          .verbs = kAllVerbs,
          .has_generation = false};
}

Kind Workload(std::string_view resource, std::string_view kind, std::string_view singular,
              std::string_view short_name, bool scales) {
  Kind row = WithStatus("apps", "v1", resource, kind, singular, {short_name});
  row.categories = {"all"};
  if (scales) row.subresources.insert(row.subresources.begin(), Scale());
  return row;
}

Kind Review(std::string_view group, std::string_view resource, std::string_view kind,
            std::string_view singular, bool namespaced = false) {
  Kind row = Plain(group, resource, kind, singular, namespaced);
  row.verbs = kCreateOnly;
  row.stored = false;
  return row;
}

}  // namespace

std::vector<Kind> WorkloadKinds() {
  std::vector<Kind> kinds;
  kinds.push_back(
      Plain("apps", "controllerrevisions", "ControllerRevision", "controllerrevision", true));
  kinds.push_back(Workload("daemonsets", "DaemonSet", "daemonset", "ds", false));
  kinds.push_back(Workload("deployments", "Deployment", "deployment", "deploy", true));
  kinds.push_back(Workload("replicasets", "ReplicaSet", "replicaset", "rs", true));
  kinds.push_back(Workload("statefulsets", "StatefulSet", "statefulset", "sts", true));

  // The first version is the preferred and stored one.
  for (const std::string_view version : {"v2", "v1"}) {
    kinds.push_back(WithStatus("autoscaling", version, "horizontalpodautoscalers",
                               "HorizontalPodAutoscaler", "horizontalpodautoscaler", {"hpa"}));
    kinds.back().categories = {"all"};
    kinds.back().has_generation = false;
  }

  kinds.push_back(WithStatus("batch", "v1", "cronjobs", "CronJob", "cronjob", {"cj"}));
  kinds.back().categories = {"all"};
  kinds.push_back(WithStatus("batch", "v1", "jobs", "Job", "job"));
  kinds.back().categories = {"all"};
  kinds.back().selectable_fields = {"status.successful"};

  kinds.push_back(WithStatus("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget",
                             "poddisruptionbudget", {"pdb"}));
  kinds.back().unconditional_update = false;

  kinds.push_back(
      Plain("scheduling.k8s.io", "priorityclasses", "PriorityClass", "priorityclass", false));
  kinds.back().short_names = {"pc"};
  kinds.back().has_generation = true;
  kinds.push_back(WithStatus("scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup", "podgroup"));
  kinds.back().alpha_workload = true;
  kinds.push_back(Plain("scheduling.k8s.io", "workloads", "Workload", "workload", true));
  kinds.back().version = "v1alpha2";
  kinds.back().has_generation = true;
  kinds.back().alpha_workload = true;
  return kinds;
}

std::vector<Kind> StorageKinds() {
  constexpr std::string_view kStorage = "storage.k8s.io";
  constexpr std::string_view kResource = "resource.k8s.io";
  std::vector<Kind> kinds;
  kinds.push_back(Plain(kStorage, "csidrivers", "CSIDriver", "csidriver", false));
  kinds.back().unconditional_update = false;
  kinds.push_back(Plain(kStorage, "csinodes", "CSINode", "csinode", false));
  kinds.back().unconditional_update = false;
  kinds.push_back(
      Plain(kStorage, "csistoragecapacities", "CSIStorageCapacity", "csistoragecapacity", true));
  kinds.back().unconditional_update = false;
  kinds.push_back(Plain(kStorage, "storageclasses", "StorageClass", "storageclass", false));
  kinds.back().short_names = {"sc"};
  kinds.push_back(
      WithStatus(kStorage, "v1", "volumeattachments", "VolumeAttachment", "volumeattachment"));
  kinds.back().namespaced = false;
  kinds.back().has_generation = false;
  kinds.back().unconditional_update = false;
  kinds.push_back(Plain(kStorage, "volumeattributesclasses", "VolumeAttributesClass",
                        "volumeattributesclass", false));
  kinds.back().short_names = {"vac"};

  kinds.push_back(Plain(kResource, "deviceclasses", "DeviceClass", "deviceclass", false));
  kinds.back().has_generation = true;
  kinds.push_back(WithStatus(kResource, "v1", "resourceclaims", "ResourceClaim", "resourceclaim"));
  kinds.back().has_generation = false;
  kinds.push_back(Plain(kResource, "resourceclaimtemplates", "ResourceClaimTemplate",
                        "resourceclaimtemplate", true));
  kinds.push_back(Plain(kResource, "resourceslices", "ResourceSlice", "resourceslice", false));
  kinds.back().selectable_fields = {"spec.nodeName", "spec.driver"};
  kinds.back().has_generation = true;
  return kinds;
}

std::vector<Kind> AccessKinds() {
  constexpr std::string_view kAuthentication = "authentication.k8s.io";
  constexpr std::string_view kAuthorization = "authorization.k8s.io";
  constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
  std::vector<Kind> kinds;
  kinds.push_back(
      Review(kAuthentication, "selfsubjectreviews", "SelfSubjectReview", "selfsubjectreview"));
  kinds.push_back(Review(kAuthentication, "tokenreviews", "TokenReview", "tokenreview"));
  kinds.push_back(Review(kAuthorization, "localsubjectaccessreviews", "LocalSubjectAccessReview",
                         "localsubjectaccessreview", true));
  kinds.push_back(Review(kAuthorization, "selfsubjectaccessreviews", "SelfSubjectAccessReview",
                         "selfsubjectaccessreview"));
  kinds.push_back(Review(kAuthorization, "selfsubjectrulesreviews", "SelfSubjectRulesReview",
                         "selfsubjectrulesreview"));
  kinds.push_back(
      Review(kAuthorization, "subjectaccessreviews", "SubjectAccessReview", "subjectaccessreview"));

  kinds.push_back(WithStatus("certificates.k8s.io", "v1", "certificatesigningrequests",
                             "CertificateSigningRequest", "certificatesigningrequest", {"csr"}));
  kinds.back().namespaced = false;
  kinds.back().has_generation = false;
  kinds.back().subresources.insert(
      kinds.back().subresources.begin(),
      {"approval", "CertificateSigningRequest", "", "", kReadAndWrite});
  kinds.back().selectable_fields = {"spec.signerName"};

  kinds.push_back(
      Plain(kRbac, "clusterrolebindings", "ClusterRoleBinding", "clusterrolebinding", false));
  kinds.back().create_on_update = true;
  kinds.push_back(Plain(kRbac, "clusterroles", "ClusterRole", "clusterrole", false));
  kinds.back().create_on_update = true;
  kinds.push_back(Plain(kRbac, "rolebindings", "RoleBinding", "rolebinding", true));
  kinds.back().create_on_update = true;
  kinds.push_back(Plain(kRbac, "roles", "Role", "role", true));
  kinds.back().create_on_update = true;
  return kinds;
}

std::vector<Kind> ServerKinds() {
  constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";
  std::vector<Kind> kinds;
  const auto add_admission = [&](std::string_view resource, std::string_view kind,
                                 std::string_view singular) {
    kinds.push_back(Plain("admissionregistration.k8s.io", resource, kind, singular, false));
    kinds.back().categories = {"api-extensions"};
    kinds.back().has_generation = true;
    kinds.back().unconditional_update = false;
  };
  add_admission("mutatingadmissionpolicies", "MutatingAdmissionPolicy", "mutatingadmissionpolicy");
  add_admission("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding",
                "mutatingadmissionpolicybinding");
  add_admission("mutatingwebhookconfigurations", "MutatingWebhookConfiguration",
                "mutatingwebhookconfiguration");
  add_admission("validatingadmissionpolicies", "ValidatingAdmissionPolicy",
                "validatingadmissionpolicy");
  kinds.back().subresources = {StatusOf("ValidatingAdmissionPolicy")};
  kinds.back().has_status = true;
  add_admission("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding",
                "validatingadmissionpolicybinding");
  add_admission("validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
                "validatingwebhookconfiguration");

  kinds.push_back(
      WithStatus("apiregistration.k8s.io", "v1", "apiservices", "APIService", "apiservice"));
  kinds.back().namespaced = false;
  kinds.back().categories = {"api-extensions"};
  kinds.back().has_generation = false;
  kinds.back().unconditional_update = false;

  kinds.push_back(WithStatus(kFlowControl, "v1", "flowschemas", "FlowSchema", "flowschema"));
  kinds.back().namespaced = false;
  kinds.push_back(WithStatus(kFlowControl, "v1", "prioritylevelconfigurations",
                             "PriorityLevelConfiguration", "prioritylevelconfiguration"));
  kinds.back().namespaced = false;
  return kinds;
}

std::vector<Kind> NetworkKinds() {
  constexpr std::string_view kNetworking = "networking.k8s.io";
  std::vector<Kind> kinds;
  kinds.push_back(
      Plain("discovery.k8s.io", "endpointslices", "EndpointSlice", "endpointslice", true));
  kinds.back().has_generation = true;

  kinds.push_back(Plain(kNetworking, "ingressclasses", "IngressClass", "ingressclass", false));
  kinds.back().has_generation = true;
  kinds.push_back(WithStatus(kNetworking, "v1", "ingresses", "Ingress", "ingress", {"ing"}));
  kinds.push_back(Plain(kNetworking, "ipaddresses", "IPAddress", "ipaddress", false));
  kinds.back().short_names = {"ip"};
  kinds.push_back(Plain(kNetworking, "networkpolicies", "NetworkPolicy", "networkpolicy", true));
  kinds.back().short_names = {"netpol"};
  kinds.back().has_generation = true;
  kinds.push_back(WithStatus(kNetworking, "v1", "servicecidrs", "ServiceCIDR", "servicecidr"));
  kinds.back().namespaced = false;
  kinds.back().has_generation = false;
  return kinds;
}

std::vector<Kind> OtherKinds() {
  std::vector<Kind> kinds;
  kinds.push_back(WithStatus("apiextensions.k8s.io", "v1", "customresourcedefinitions",
                             "CustomResourceDefinition", "customresourcedefinition",
                             {"crd", "crds"}));
  kinds.back().namespaced = false;
  kinds.back().categories = {"api-extensions"};
  kinds.back().unconditional_update = false;

  kinds.push_back(Plain("coordination.k8s.io", "leases", "Lease", "lease", true));
  kinds.back().unconditional_update = false;
  kinds.back().create_on_update = true;

  // The version that kube-scheduler v1.36 uses.
  kinds.push_back(
      Plain("coordination.k8s.io", "leasecandidates", "LeaseCandidate", "leasecandidate", true));
  kinds.back().version = "v1beta1";
  kinds.back().unconditional_update = false;
  kinds.back().create_on_update = true;

  kinds.push_back(Plain("events.k8s.io", "events", "Event", "event", true));
  kinds.back().short_names = {"ev"};
  // In the order of core events: the store has one list of values for both.
  kinds.back().selectable_fields = {"regarding.kind",       "regarding.namespace",
                                    "regarding.name",       "regarding.uid",
                                    "regarding.apiVersion", "regarding.resourceVersion",
                                    "regarding.fieldPath",  "reason",
                                    "reportingController",  "type"};
  kinds.back().create_on_update = true;

  kinds.push_back(Plain("node.k8s.io", "runtimeclasses", "RuntimeClass", "runtimeclass", false));
  kinds.back().unconditional_update = false;
  kinds.back().create_on_update = true;
  return kinds;
}

}  // namespace berth::api::scheme
