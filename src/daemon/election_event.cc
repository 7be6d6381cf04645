#include "daemon/election_event.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/timestamp.h"

namespace berth::daemon {

client::RestRequest ElectionEvent(const std::string& message,
                                  const config::Configuration& configuration, Instant now) {
  const config::LeaderElection& election = configuration.leader_election;
  const std::string& space = election.resource_namespace;
  const std::string& name = election.resource_name;
  const std::string component =
      configuration.profiles.front().scheduler_name.value_or("default-scheduler");
  const std::string time = api::FormatTimestamp(now);
  const boost::json::object event{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", fmt::format("{}.{:x}", name, now.nanos)}, {"namespace", space}}},
      {"involvedObject",
       {{"kind", "Lease"},
        {"apiVersion", "coordination.k8s.io/v1"},
        {"namespace", space},
        {"name", name}}},
      {"reason", "LeaderElection"},
      {"message", message},
      {"source", {{"component", component}}},
      {"reportingComponent", component},
      {"firstTimestamp", time},
      {"lastTimestamp", time},
      {"count", 1},
      {"type", "Normal"}};
  client::RestRequest request;
  request.method = "POST";
  request.path = fmt::format("/api/v1/namespaces/{}/events", space);
  request.content_type = "application/json";
  request.body = boost::json::serialize(event);
  return request;
}

}  // namespace berth::daemon
