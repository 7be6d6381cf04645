// Api: what every cluster has from the start.
#include <string_view>

#include "admission/metadata.h"
#include "admission/priority_rules.h"
#include "apiserver/api.h"
#include "apiserver/api_attempt.h"

namespace berth::apiserver {

namespace {

JsonObject Named(std::string_view name) {
  JsonObject document;
  SetString(MetadataOf(document), "name", name);
  return document;
}

JsonObject PriorityClassNamed(const SystemPriority& priority) {
  JsonObject document = Named(priority.name);
  SetInt(document, "value", priority.value);
  SetString(document, "description", priority.description);
  return document;
}

JsonObject KubernetesService() {
  JsonObject document = Named("kubernetes");
  JsonObject& labels = ObjectIn(MetadataOf(document), "labels");
  SetString(labels, "component", "apiserver");
  SetString(labels, "provider", "kubernetes");
  JsonObject& spec = ObjectIn(document, "spec");
  SetString(spec, "clusterIP", "10.96.0.1");
  JsonObject& port = ArrayIn(spec, "ports").emplace_back(boost::json::object_kind).get_object();
  SetString(port, "name", "https");
  SetInt(port, "port", 443);
  SetInt(port, "targetPort", 6443);
  return document;
}

}  // namespace

// A store that was read back from a journal has most of it already.
void Api::CreateBootstrapObjects() {
  const auto ensure = [&](const Kind& kind, std::string_view namespace_, JsonObject document) {
    const std::string name(StringAt(&MetadataOf(document), "name"));
    if (store_.Get(kind.collection, {std::string(namespace_), name})) return;
    // If somebody took its address meanwhile, they keep it.
    (void)Create(kind, namespace_, std::move(document));
  };
  const Kind& namespaces = KindOf("namespaces");
  for (const std::string_view name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    ensure(namespaces, "", Named(name));
  }
  for (const SystemPriority& priority : kSystemPriorities) {
    ensure(KindOf("priorityclasses.scheduling.k8s.io"), "", PriorityClassNamed(priority));
  }
  ensure(KindOf("services"), "default", KubernetesService());
}

}  // namespace berth::apiserver
