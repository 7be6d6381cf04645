// The endpoints of a Service as pure functions: which pods it leads to, at which ports, and how an
// EndpointSlice and Endpoints describe them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/json/json.h"
#include "localcluster/controller.h"

namespace berth::localcluster {

struct ServiceEndpoint {
  const PodRecord* pod = nullptr;
  bool ready = false;
  std::string hostname = {};
  std::string zone = {};

  Json InSlice() const;      // An element of EndpointSlice.endpoints.
  Json InEndpoints() const;  // An address of Endpoints.subsets.
};

struct EndpointGroup {
  Json ports;                                   // As in an EndpointSlice.
  std::vector<ServiceEndpoint> endpoints = {};  // By the pod's name.
};
// By the text of the ports: pods may have different numbers for a named port.
using EndpointGroups = std::map<std::string, EndpointGroup>;

// Returns the endpoints of `service`, whose selector is `selector`, among the pods of its
// namespace. Pods without address and pods that have ended are not among them.
EndpointGroups EndpointsOf(const Context& context, const JsonObject& service,
                           const api::Selector& selector);

// Sets the labels and annotations that slices and Endpoints copy from their service.
void CopyServiceLabels(const JsonObject& service, JsonObject& metadata);

}  // namespace berth::localcluster
