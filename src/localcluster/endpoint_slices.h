// EndpointsController writes the EndpointSlices, and the Endpoints of old clients, of the Services
// that select pods.
//
// A sync is linear in the pods of the namespace. Services with many pods are synced at most once
// per second, so that a rollout of thousands of pods costs a bounded share of the time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "localcluster/controller.h"
#include "localcluster/service_endpoints.h"

namespace berth::localcluster {

class EndpointsController final : public Controller {
 public:
  explicit EndpointsController(Context& context) : Controller("endpoints", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& service) override;
  size_t index_size() const override {
    return services_.size() + slices_of_.size() + next_sync_.size();
  }

 private:
  void Queue(const ObjectName& service);
  // Creates, updates and deletes the service's slices. Endpoints stay in the slice that they are
  // in, so that few slices change.
  void WriteSlices(const ObjectName& key, const JsonObject& service, EndpointGroups groups);
  // Updates the slice, or creates one if it has no name.
  void WriteSlice(const ObjectName& key, const JsonObject& service,
                  const std::optional<ObjectName>& slice, const Json& ports,
                  const std::vector<const ServiceEndpoint*>& endpoints);
  void WriteEndpoints(const ObjectName& key, const JsonObject& service,
                      const EndpointGroups& groups);
  void Remove(const ObjectName& key);

  SelectorIndex services_;                                // Those with a selector.
  std::map<ObjectName, std::set<ObjectName>> slices_of_;  // By service.
  std::map<ObjectName, Instant> next_sync_;               // Of services with many pods.
};

}  // namespace berth::localcluster
