// The default roles and bindings of RBAC: RbacObjects.
//
//   role NAME [+LABEL] [<LABEL]     A ClusterRole; with NAMESPACE/NAME, a Role.
//     VERBS GROUPS RESOURCES [NAMES]
//     VERBS URLS
//   binding NAME                    Likewise, to the role of that name,
//     =ROLE                         or of this name.
//     KIND:NAME
//
// Lists are separated by commas, and a line that ends with a comma continues on the next; so does a
// rule on a line that is indented further. "-" is the core group. "+LABEL" is a label of the role;
// "<LABEL" aggregates the rules of all roles with that label.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "apiserver/registry/bootstrap.h"

namespace berth::apiserver::registry {

namespace {

constexpr std::string_view kRoles = R"(
role admin <aggregate-to-admin
role cluster-admin
  * * *
  * *
role edit +aggregate-to-admin <aggregate-to-edit
role system:aggregate-to-admin +aggregate-to-admin
  create authorization.k8s.io localsubjectaccessreviews
  create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io
    rolebindings,roles
role system:aggregate-to-edit +aggregate-to-edit
  get,list,watch - pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  impersonate - serviceaccounts
  create,delete,deletecollection,patch,update - pods,pods/attach,pods/exec,pods/portforward,
    pods/proxy
  create - pods/eviction
  create,delete,deletecollection,patch,update - configmaps,persistentvolumeclaims,
    replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,
    services/proxy
  create - serviceaccounts/token
  create,delete,deletecollection,patch,update -,events.k8s.io events
  create,delete,deletecollection,patch,update apps daemonsets,deployments,deployments/rollback,
    deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
  create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers
  create,delete,deletecollection,patch,update batch cronjobs,jobs
  create,delete,deletecollection,patch,update extensions daemonsets,deployments,
    deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,
    replicasets/scale,replicationcontrollers/scale
  create,delete,deletecollection,patch,update policy poddisruptionbudgets
  create,delete,deletecollection,patch,update networking.k8s.io ingresses,networkpolicies
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases
  create,delete,deletecollection,patch,update resource.k8s.io resourceclaims,
    resourceclaimtemplates
role system:aggregate-to-view +aggregate-to-view
  get,list,watch - configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,
    replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
  get,list,watch - bindings,limitranges,namespaces/status,pods/log,pods/status,
    replicationcontrollers/status,resourcequotas,resourcequotas/status
  get,list,watch - namespaces
  get,list,watch -,events.k8s.io events
  get,list,watch discovery.k8s.io endpointslices
  get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,
    deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,
    statefulsets,statefulsets/scale,statefulsets/status
  get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status
  get,list,watch extensions daemonsets,daemonsets/status,deployments,deployments/scale,
    deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,
    replicasets/status,replicationcontrollers/scale
  get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status
  get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies
  get,list,watch resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates
role system:auth-delegator
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
role system:basic-user
  create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
  create authentication.k8s.io selfsubjectreviews
role system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create certificates.k8s.io certificatesigningrequests/nodeclient
role system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create certificates.k8s.io certificatesigningrequests/selfnodeclient
role system:certificates.k8s.io:kube-apiserver-client-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client
role system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
role system:certificates.k8s.io:kubelet-serving-approver
  approve certificates.k8s.io signers kubernetes.io/kubelet-serving
role system:certificates.k8s.io:legacy-unknown-approver
  approve certificates.k8s.io signers kubernetes.io/legacy-unknown
role system:discovery
  get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/
role system:heapster
  get,list,watch - events,namespaces,nodes,pods
  get,list,watch extensions deployments
role system:kube-aggregator
  get,list,watch - endpoints,services
role system:kube-controller-manager
  create,patch,update -,events.k8s.io events
  create coordination.k8s.io leases
  get,update coordination.k8s.io leases kube-controller-manager
  create - secrets,serviceaccounts
  delete - secrets
  get - configmaps,namespaces,secrets,serviceaccounts
  update - secrets,serviceaccounts
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  list,watch * *
  create - serviceaccounts/token
role system:kube-dns
  list,watch - endpoints,services
role system:kube-scheduler
  create,patch,update -,events.k8s.io events
  create coordination.k8s.io leases
  get,list,update,watch coordination.k8s.io leases kube-scheduler
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates
  get,list,watch - nodes
  delete,get,list,watch - pods
  create - bindings,pods/binding
  patch,update - pods/status
  get,list,watch - replicationcontrollers,services
  get,list,watch apps,extensions replicasets
  get,list,watch apps statefulsets
  get,list,watch policy poddisruptionbudgets
  get,list,watch - persistentvolumeclaims,persistentvolumes
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  get,list,watch storage.k8s.io csinodes
  get,list,watch storage.k8s.io volumeattachments
  get,list,watch - namespaces
  get,list,watch storage.k8s.io csidrivers
  get,list,watch storage.k8s.io csistoragecapacities
  get,list,watch resource.k8s.io deviceclasses
  get,list,patch,update,watch resource.k8s.io resourceclaims
  get,list,patch,update,watch resource.k8s.io resourceclaims/status
  update - pods/finalizers
  get,list,watch resource.k8s.io resourceslices
  create,delete resource.k8s.io resourceclaims
  patch,update resource.k8s.io resourceclaims/binding
role system:kubelet-api-admin
  get,list,watch - nodes
  proxy - nodes
  * - nodes/log,nodes/metrics,nodes/proxy,nodes/stats
  * - nodes/configz,nodes/healthz,nodes/pods
role system:monitoring
  get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz
  get - nodes/metrics
role system:node
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
  get,list,watch - services
  create,get,list,watch - nodes
  patch,update - nodes/status
  patch,update - nodes
  create,patch,update -,events.k8s.io events
  get,list,watch - pods
  create,delete - pods
  patch,update - pods/status
  create - pods/eviction
  get,list,watch - configmaps,secrets
  get - persistentvolumeclaims,persistentvolumes
  get - endpoints
  create,get,list,watch certificates.k8s.io certificatesigningrequests
  create,delete,get,patch,update coordination.k8s.io leases
  get storage.k8s.io volumeattachments
  create - serviceaccounts/token
  get,patch,update - persistentvolumeclaims/status
  get,list,watch storage.k8s.io csidrivers
  create,delete,get,patch,update storage.k8s.io csinodes
  get,list,watch node.k8s.io runtimeclasses
  get resource.k8s.io resourceclaims
  deletecollection resource.k8s.io resourceslices
  get - serviceaccounts
role system:node-bootstrapper
  create,get,list,watch certificates.k8s.io certificatesigningrequests
role system:node-problem-detector
  get - nodes
  patch - nodes/status
  create,patch,update -,events.k8s.io events
role system:node-proxier
  list,watch - endpoints,services
  get,list,watch - nodes
  create,patch,update -,events.k8s.io events
  list,watch networking.k8s.io servicecidrs
  list,watch discovery.k8s.io endpointslices
role system:persistent-volume-provisioner
  create,delete,get,list,watch - persistentvolumes
  get,list,update,watch - persistentvolumeclaims
  get,list,watch storage.k8s.io storageclasses
  watch - events
  create,patch,update -,events.k8s.io events
role system:public-info-viewer
  get /healthz,/livez,/readyz,/version,/version/
role system:service-account-issuer-discovery
  get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,
    /openid/v1/jwks/
role system:volume-scheduler
  get,list,patch,update,watch - persistentvolumes
  get,list,watch storage.k8s.io storageclasses
  get,list,patch,update,watch - persistentvolumeclaims
role view +aggregate-to-edit <aggregate-to-view
role kube-public/system:controller:bootstrap-signer
  get,list,watch - configmaps
  update - configmaps cluster-info
  create,patch,update -,events.k8s.io events
role kube-system/extension-apiserver-authentication-reader
  get,list,watch - configmaps extension-apiserver-authentication
role kube-system/system::leader-locking-kube-controller-manager
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
role kube-system/system::leader-locking-kube-scheduler
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
role kube-system/system:controller:bootstrap-signer
  get,list,watch - secrets
role kube-system/system:controller:cloud-provider
  create,get,list,watch - configmaps
role kube-system/system:controller:token-cleaner
  delete,get,list,watch - secrets
  create,patch,update -,events.k8s.io events
binding cluster-admin
  Group:system:masters
binding system:basic-user
  Group:system:authenticated
binding system:discovery
  Group:system:authenticated
binding system:kube-controller-manager
  User:system:kube-controller-manager
binding system:kube-dns
  ServiceAccount:kube-system/kube-dns
binding system:kube-scheduler
  User:system:kube-scheduler
binding system:monitoring
  Group:system:monitoring
binding system:node
binding system:node-proxier
  User:system:kube-proxy
binding system:public-info-viewer
  Group:system:authenticated
  Group:system:unauthenticated
binding system:service-account-issuer-discovery
  Group:system:serviceaccounts
binding system:volume-scheduler
  User:system:kube-scheduler
binding kube-public/system:controller:bootstrap-signer
  ServiceAccount:kube-system/bootstrap-signer
binding kube-system/system::extension-apiserver-authentication-reader
  =extension-apiserver-authentication-reader
  User:system:kube-controller-manager
  User:system:kube-scheduler
binding kube-system/system::leader-locking-kube-controller-manager
  User:system:kube-controller-manager
  ServiceAccount:kube-system/kube-controller-manager
  ServiceAccount:kube-system/leader-election-controller
binding kube-system/system::leader-locking-kube-scheduler
  User:system:kube-scheduler
  ServiceAccount:kube-system/kube-scheduler
binding kube-system/system:controller:bootstrap-signer
  ServiceAccount:kube-system/bootstrap-signer
binding kube-system/system:controller:cloud-provider
  ServiceAccount:kube-system/cloud-provider
binding kube-system/system:controller:token-cleaner
  ServiceAccount:kube-system/token-cleaner
)";

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return parts;
}

void SetList(api::JsonObject& rule, std::string_view key, std::string_view values) {
  api::JsonArray& list = api::EnsureArray(rule, key);
  for (const std::string_view value : Split(values, ',')) {
    list.emplace_back(value == "-" ? std::string_view() : value);
  }
}

api::JsonObject ParseRule(std::string_view line) {
  const std::vector<std::string_view> parts = Split(line, ' ');
  api::JsonObject rule;
  SetList(rule, "verbs", parts[0]);
  if (parts.size() == 2) {
    SetList(rule, "nonResourceURLs", parts[1]);
    return rule;
  }
  SetList(rule, "apiGroups", parts[1]);
  SetList(rule, "resources", parts[2]);
  if (parts.size() > 3) SetList(rule, "resourceNames", parts[3]);
  return rule;
}

api::JsonObject ParseSubject(std::string_view line) {
  const size_t colon = line.find(':');
  const std::string_view kind = line.substr(0, colon);
  std::string_view name = line.substr(colon + 1);
  api::JsonObject subject;
  api::SetString(subject, "kind", kind);
  if (kind == "ServiceAccount") {
    const size_t slash = name.find('/');
    api::SetString(subject, "namespace", name.substr(0, slash));
    name.remove_prefix(slash + 1);
  } else {
    api::SetString(subject, "apiGroup", kGroup);
  }
  api::SetString(subject, "name", name);
  return subject;
}

// The object under construction, from its first line.
BootstrapObject Begin(const std::vector<std::string_view>& words) {
  const bool is_role = words[0] == "role";
  BootstrapObject object;
  std::string_view name = words[1];
  const size_t slash = name.find('/');
  if (slash != name.npos) {
    object.namespace_ = name.substr(0, slash);
    name.remove_prefix(slash + 1);
  }
  const std::string_view scope = object.namespace_.empty() ? "cluster" : "";
  object.resource = std::string(scope) + (is_role ? "roles." : "rolebindings.");
  object.resource += kGroup;
  api::JsonObject& metadata = api::EnsureObject(object.document, "metadata");
  api::SetString(metadata, "name", name);
  api::SetString(api::EnsureObject(metadata, "annotations"), kAutoUpdate, "true");
  api::SetString(api::EnsureObject(metadata, "labels"), "kubernetes.io/bootstrapping",
                 "rbac-defaults");
  if (!is_role) {
    api::JsonObject& role = api::EnsureObject(object.document, "roleRef");
    api::SetString(role, "apiGroup", kGroup);
    api::SetString(role, "kind", object.namespace_.empty() ? "ClusterRole" : "Role");
    api::SetString(role, "name", name);
    return object;
  }
  api::EnsureArray(object.document, "rules");
  for (size_t i = 2; i < words.size(); ++i) {
    const std::string label = std::string(kGroup) + "/" + std::string(words[i].substr(1));
    if (words[i].front() == '+') {
      api::SetString(api::EnsureObject(api::EnsureObject(object.document, "metadata"), "labels"),
                     label, "true");
    } else {
      api::JsonArray& selectors = api::EnsureArray(
          api::EnsureObject(object.document, "aggregationRule"), "clusterRoleSelectors");
      api::JsonObject& selector = selectors.emplace_back(boost::json::object_kind).get_object();
      api::SetString(api::EnsureObject(selector, "matchLabels"), label, "true");
    }
  }
  return object;
}

// Returns the label whose roles the role aggregates, or "".
std::string AggregatedLabel(const api::JsonObject& role) {
  const api::JsonArray* selectors =
      api::ArrayAt(api::ObjectAt(&role, "aggregationRule"), "clusterRoleSelectors");
  if (!selectors || selectors->empty()) return {};
  const api::JsonObject* labels = api::ObjectAt(api::AsObject(selectors->front()), "matchLabels");
  return labels && !labels->empty() ? std::string(labels->begin()->key()) : std::string();
}

// Adds the rules of the roles with the label that `role` aggregates, and of those they aggregate.
void Aggregate(const std::vector<BootstrapObject>& all, const std::string& label,
               api::JsonArray& rules) {
  for (const BootstrapObject& object : all) {
    const api::JsonObject* metadata = api::ObjectAt(&object.document, "metadata");
    if (!api::At(api::ObjectAt(metadata, "labels"), label)) continue;
    const std::string more = AggregatedLabel(object.document);
    if (!more.empty()) {
      Aggregate(all, more, rules);
      continue;
    }
    for (const api::Json& rule : *api::ArrayAt(&object.document, "rules")) rules.push_back(rule);
  }
}

}  // namespace

std::vector<BootstrapObject> RbacObjects() {
  std::vector<BootstrapObject> objects;
  std::string entry;  // A rule, which may continue on the next line.
  const auto finish = [&] {
    if (entry.empty()) return;
    if (entry.starts_with('=')) {
      api::JsonObject& role = api::EnsureObject(objects.back().document, "roleRef");
      api::SetString(role, "name", std::exchange(entry, {}).substr(1));
      return;
    }
    const bool is_role = objects.back().resource.find("rolebindings") == std::string::npos;
    api::JsonArray& list =
        api::EnsureArray(objects.back().document, is_role ? "rules" : "subjects");
    list.emplace_back(is_role ? ParseRule(entry) : ParseSubject(entry));
    entry.clear();
  };
  for (const std::string_view line : Split(kRoles, '\n')) {
    if (line.starts_with("    ")) {
      if (!entry.ends_with(',')) entry += ' ';
      entry += line.substr(4);
      continue;
    }
    finish();
    if (line.starts_with("  ")) {
      entry = line.substr(2);
    } else {
      objects.push_back(Begin(Split(line, ' ')));
    }
  }
  finish();
  const std::vector<BootstrapObject> plain = objects;
  for (BootstrapObject& object : objects) {
    const std::string label = AggregatedLabel(object.document);
    if (!label.empty()) Aggregate(plain, label, api::EnsureArray(object.document, "rules"));
  }
  return objects;
}

}  // namespace berth::apiserver::registry
