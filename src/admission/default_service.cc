// Defaults of services; addresses are given out by admission.
#include <string_view>

#include "admission/defaults.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

void DefaultService(JsonObject& service) {
  JsonObject& spec = ObjectIn(service, "spec");
  DefaultString(spec, "type", "ClusterIP");
  DefaultString(spec, "sessionAffinity", "None");
  if (StringAt(&spec, "sessionAffinity") == "ClientIP") {
    JsonObject& client = ObjectIn(ObjectIn(spec, "sessionAffinityConfig"), "clientIP");
    DefaultInt(client, "timeoutSeconds", 10800);
  }
  const std::string_view type = StringAt(&spec, "type");
  if (type == "NodePort" || type == "LoadBalancer") {
    DefaultString(spec, "externalTrafficPolicy", "Cluster");
  }
  if (StringAt(&spec, "type") == "LoadBalancer") {
    DefaultBool(spec, "allocateLoadBalancerNodePorts", true);
  }
  if (StringAt(&spec, "type") != "ExternalName") {
    DefaultString(spec, "internalTrafficPolicy", "Cluster");
  }
  JsonArray* ports = ArrayAt(&spec, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    JsonObject* port = (*ports)[i].if_object();
    if (!port) continue;
    DefaultString(*port, "protocol", "TCP");
    const auto number = IntAt(port, "port");
    const Json* target = At(port, "targetPort");
    if (number && (!target || IsEmpty(target) || AsInt(target) == 0)) {
      SetInt(*port, "targetPort", *number);
    }
  }
}

}  // namespace berth::apiserver
