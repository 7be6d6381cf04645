// CreateClusterObjects creates the objects that a kube-apiserver v1.36 creates at its start, beyond
// those that the Api itself needs: RBAC roles and bindings, flow schemas and priority levels, the
// service CIDR, and the endpoints of the service "kubernetes".
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "api/json/json.h"
#include "apiserver/registry/api.h"

namespace berth::apiserver::registry {

struct ServerAddress {
  std::string address;  // IPv4; a loopback address stands for no address.
  uint16_t port = 0;
};

// Creates those that are missing; existing ones may have been changed by users and stay as they
// are, except for the address of the server. Costs about a hundred writes.
void CreateClusterObjects(Api& api, const ServerAddress& server);

// An object to create: its resource ("clusterroles.rbac.authorization.k8s.io") and document.
struct BootstrapObject {
  std::string resource;
  std::string namespace_;
  api::JsonObject document;
};

// Returns the roles and bindings of RBAC. They are not enforced, but clients read and bind them.
std::vector<BootstrapObject> RbacObjects();

}  // namespace berth::apiserver::registry
