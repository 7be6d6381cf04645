// The leader election of the Daemon: the lease, the candidate, and what is logged and recorded.

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <random>
#include <utility>

#include "api/json/writer.h"
#include "api/timestamp.h"
#include "base/kubernetes_version.h"
#include "client/election_log.h"
#include "client/lease_candidate.h"
#include "daemon/daemon.h"
#include "observability/log.h"

namespace berth::daemon {

client::RestRequest ElectionEvent(const std::string& message,
                                  const scheduler::config::Configuration& configuration,
                                  Instant now) {
  const scheduler::config::LeaderElection& election = configuration.leader_election;
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
  request.body = api::ToJsonText(event);
  return request;
}

namespace {

std::string NewUuid(std::random_device& random) {
  const auto word = [&] { return static_cast<uint32_t>(random()); };
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", word(), word() & 0xffff,
                     word() & 0xfff, 0x8000 | (word() & 0x3fff), word() & 0xffff, word());
}

// `key` and `value` identify the lock or the candidate.
void LogElection(const client::ElectionLogLine& line, std::string_view key,
                 std::string_view value) {
  if (line.level == client::ElectionLogLine::kError) {
    LOG_ERROR(line.error, line.message, {{key, value}});
  } else if (!line.error.empty()) {
    LOG_V(line.level, line.message, {{key, value}, {"err", line.error}});
  } else if (!line.holder.empty()) {
    LOG_V(line.level, line.message, {{key, value}, {"holder", line.holder}});
  } else {
    LOG_V(line.level, line.message, {{key, value}});
  }
}

}  // namespace

Result<void> Daemon::MakeElector() {
  const scheduler::config::LeaderElection& election = options_.configuration.leader_election;
  // Shadow mode does not take part in the election.
  if (!election.leader_elect || options_.flags.shadow) return {};
  client::ClientConfig api = api_;
  api.user_agent = agent_ + "/leader-election";
  auto client = client::RestClient::Create(*side_loop_, std::move(api), &metrics_->requests());
  if (!client) return std::unexpected(client.error());
  lease_client_ = *std::move(client);
  const Duration timeout = std::max(Duration::Seconds(1), election.renew_deadline / 2);
  lease_ = std::make_unique<client::LeaseLock>(*lease_client_, election.resource_namespace,
                                               election.resource_name, timeout);
  std::random_device random;
  client::ElectionOptions options;
  options.identity = fmt::format("{}_{}", host_, NewUuid(random));
  options.lease_duration = election.lease_duration;
  options.renew_deadline = election.renew_deadline;
  options.retry_period = election.retry_period;
  options.seed = random();
  options.coordinated = options_.gates.IsOn("CoordinatedLeaderElection");
  if (options.coordinated) {
    if (auto made = MakeCandidate(options.identity, random()); !made) return made;
  }
  client::ElectionCallbacks callbacks;
  callbacks.on_started_leading = [this] {
    LOG_INFO("Successfully acquired lease", {{"lock", lease_->name()}});
    metrics_->SetLeader(true);
  };
  callbacks.on_stopped_leading = [this] { metrics_->SetLeader(false); };
  callbacks.on_new_leader = [](const std::string& leader) {
    LOG_INFO("New leader elected", {{"identity", leader}});
  };
  callbacks.on_event = [this](const std::string& message) { RecordElection(message); };
  callbacks.on_slow_path = [this] { metrics_->NoteSlowElection(); };
  callbacks.on_end_of_term = [this] { metrics_->SetLeader(false); };
  callbacks.on_log = [this](const client::ElectionLogLine& line) {
    LogElection(line, "lock", lease_->name());
  };
  leadership_->Elect(*lease_, clock_, std::move(options), std::move(callbacks));
  metrics_->SetLeader(false);
  return {};
}

// DIFFERS: kube-scheduler is always a candidate for kube-system/kube-scheduler. With another lease
// it would be elected for that one and not lead: nobody would.
Result<void> Daemon::MakeCandidate(const std::string& identity, uint64_t seed) {
  auto client = client::RestClient::Create(*side_loop_, api_, &metrics_->requests());
  if (!client) return std::unexpected(client.error());
  candidate_client_ = *std::move(client);
  const scheduler::config::LeaderElection& election = options_.configuration.leader_election;
  const std::string version(kKubernetesVersion);
  candidate_ = std::make_unique<client::LeaseCandidate>(
      *candidate_client_, *side_loop_, clock_,
      client::LeaseCandidateOptions{.name_space = election.resource_namespace,
                                    .name = identity,
                                    .lease_name = election.resource_name,
                                    .binary_version = version,
                                    .emulation_version = version,
                                    .watch_list = options_.gates.IsOn("WatchListClient"),
                                    .seed = seed},
      [identity](const client::ElectionLogLine& line) {
        LogElection(line, "candidate", identity);
      });
  return {};
}

void Daemon::RecordElection(const std::string& message) {
  lease_client_->Send(
      ElectionEvent(message, options_.configuration, clock_.Now()),
      [](const net::HttpResult<net::HttpResponse>& response) {
        if (!response)
          LOG_WARNING("The event about the lease was not written: " + response.error().message);
      });
}

}  // namespace berth::daemon
