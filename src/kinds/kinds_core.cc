// The kinds of the core group.
#include "kinds/kind_tables.h"

namespace berth::apiserver {
namespace {

// Without status, generation or anything else that needs care.
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
          .subresources = {{"binding", "Binding", "", "v1", kCreateOnly},
                           {"eviction", "Eviction", "policy", "v1", kCreateOnly},
                           {"resize", "Pod", "", "", kReadAndWrite},
                           StatusOf("Pod")},
          .selectable = {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
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
          .selectable = {"status.phase"},
          .has_generation = false,
          .has_status = true};
}

}  // namespace

std::vector<Kind> CoreKinds() {
  std::vector<Kind> kinds;

  kinds.push_back(Plain("configmaps", "ConfigMap", "configmap", {"cm"}));
  kinds.push_back(Plain("endpoints", "Endpoints", "endpoints", {"ep"}));
  kinds.back().create_on_update = true;

  kinds.push_back(Plain("events", "Event", "event", {"ev"}));
  // events.k8s.io has the same fields by other names, and lacks the last.
  kinds.back().selectable = {"involvedObject.kind",
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
  kinds.back().subresources = {StatusOf("Node")};
  kinds.back().selectable = {"spec.unschedulable"};
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
  kinds.back().selectable = {"status.replicas"};
  kinds.back().has_generation = true;
  kinds.back().has_status = true;

  kinds.push_back(Plain("resourcequotas", "ResourceQuota", "resourcequota", {"quota"}));
  kinds.back().subresources = {StatusOf("ResourceQuota")};
  kinds.back().has_status = true;

  kinds.push_back(Plain("secrets", "Secret", "secret"));
  kinds.back().selectable = {"type"};

  kinds.push_back(Plain("serviceaccounts", "ServiceAccount", "serviceaccount", {"sa"}));

  kinds.push_back(Plain("services", "Service", "service", {"svc"}));
  kinds.back().categories = {"all"};
  kinds.back().subresources = {StatusOf("Service")};
  kinds.back().selectable = {"spec.clusterIP", "spec.type"};
  kinds.back().has_status = true;
  kinds.back().create_on_update = true;

  return kinds;
}

}  // namespace berth::apiserver
