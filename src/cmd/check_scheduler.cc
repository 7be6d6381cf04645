#include "cmd/check_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <future>
#include <utility>

#include "client/rest_client.h"
#include "net/event_loop.h"

namespace berth::cmd {
namespace {

constexpr Duration kTimeout = Duration::Seconds(10);
// Beyond, decisions are made on a state of the cluster that is out of date.
constexpr double kOldChangeSeconds = 5;
constexpr double kErrorShare = 0.05;
// A share of fewer says nothing.
constexpr double kFewest = 20;

std::string Section(std::string_view anchor) { return fmt::format("docs/runbook.md#{}", anchor); }

using Response = net::HttpResult<net::HttpResponse>;

Response Get(client::RestClient& client, const std::string& path) {
  client::RestRequest request;
  request.path = path;
  request.timeout = kTimeout;
  std::promise<Response> promise;
  client.Send(std::move(request), [&](const Response& response) { promise.set_value(response); });
  return promise.get_future().get();
}

void JudgeErrors(const MetricSamples& metrics, CheckReport& report) {
  const double attempts = metrics.Sum("scheduler_schedule_attempts_total");
  const double errors = metrics.Sum("scheduler_schedule_attempts_total", R"(result="error")");
  if (attempts >= kFewest && errors > attempts * kErrorShare) {
    report.Problem(fmt::format("{:.0f} of {:.0f} attempts since the start ended with an error",
                               errors, attempts),
                   "look for the error in its log; " + Section("schedulererrors"));
  }
  const double requests = metrics.Sum("rest_client_requests_total");
  double failed = metrics.Sum("rest_client_requests_total", R"(code="<error>")");
  for (int code = 500; code < 600; ++code) {
    failed += metrics.Sum("rest_client_requests_total", fmt::format(R"(code="{}")", code));
  }
  if (requests >= kFewest && failed > requests * kErrorShare) {
    report.Problem(
        fmt::format("{:.0f} of {:.0f} API requests since the start failed", failed, requests),
        "look at the API server; " + Section("schedulerapirequestsfail"));
  }
}

void JudgeEvents(const MetricSamples& metrics, CheckReport& report) {
  if (const double refused = metrics.Sum("berth_events_total", R"(result="refused")"); refused > 0)
    report.Note(fmt::format("the API server refused {:.0f} events", refused),
                "allow it to create and patch events; " + Section("schedulereventslost"));
  if (const double dropped = metrics.Sum("berth_events_total", R"(result="dropped")"); dropped > 0)
    report.Note(fmt::format("{:.0f} events were dropped", dropped),
                "the API server is slow or unreachable; " + Section("schedulereventslost"));
}

}  // namespace

MetricSamples MetricSamples::Parse(std::string_view text) {
  MetricSamples parsed;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const size_t space = line.rfind(' ');
    const size_t brace = line.find('{');
    if (space == line.npos) continue;
    double value = 0;
    const char* end = line.data() + line.size();
    if (std::from_chars(line.data() + space + 1, end, value).ec != std::errc()) continue;
    const bool has_labels = brace < space && line[space - 1] == '}';
    const size_t name_end = has_labels ? brace : space;
    const std::string_view labels =
        has_labels ? line.substr(brace + 1, space - brace - 2) : std::string_view();
    parsed.samples_[std::string(line.substr(0, name_end))].push_back({std::string(labels), value});
  }
  return parsed;
}

const std::vector<MetricSamples::Sample>& MetricSamples::Of(std::string_view name) const {
  static const std::vector<Sample> none;
  const auto found = samples_.find(name);
  return found == samples_.end() ? none : found->second;
}

double MetricSamples::Sum(std::string_view name, std::string_view label) const {
  double sum = 0;
  for (const Sample& sample : Of(name)) {
    if (sample.labels.contains(label)) sum += sample.value;
  }
  return sum;
}

std::vector<std::string> FailedChecks(std::string_view verbose) {
  std::vector<std::string> failed;
  constexpr std::string_view kMark = "[-]";
  while (!verbose.empty()) {
    const std::string_view line = verbose.substr(0, verbose.find('\n'));
    verbose.remove_prefix(std::min(line.size() + 1, verbose.size()));
    if (!line.starts_with(kMark)) continue;
    const std::string_view rest = line.substr(kMark.size());
    failed.emplace_back(rest.substr(0, rest.find(' ')));
  }
  return failed;
}

void JudgeMetrics(const MetricSamples& metrics, CheckReport& report) {
  if (metrics.has("leader_election_master_status")) {
    if (metrics.Sum("leader_election_master_status") > 0) {
      report.Ok("it holds the lease and schedules");
    } else {
      report.Note("it does not hold the lease: it is a standby, and what follows is about it alone",
                  "ask the leader, which the lease names: kubectl -n kube-system get lease");
    }
  }
  const auto pods = [&](const char* queue) {
    return metrics.Sum("scheduler_pending_pods", fmt::format("queue=\"{}\"", queue));
  };
  report.Ok(fmt::format(
      "{:.0f} pods wait to be tried, {:.0f} for their backoff, {:.0f} are unschedulable, {:.0f} "
      "have scheduling gates",
      pods("active"), pods("backoff"), pods("unschedulable"), pods("gated")));
  if (const double age = metrics.Sum("berth_oldest_unread_change_seconds");
      age > kOldChangeSeconds) {
    report.Problem(
        fmt::format("it is {:.0f} seconds behind the cluster: {:.0f} changes are not read", age,
                    metrics.Sum("berth_unread_changes")),
        "see what its driver does; " + Section("schedulerfallsbehind"));
  }
  JudgeErrors(metrics, report);
  JudgeEvents(metrics, report);
  if (metrics.Sum("berth_recording_failed") > 0) {
    report.Problem(fmt::format("its recording has ended with an error; {:.0f} records are lost",
                               metrics.Sum("berth_recording_lost_records_total")),
                   "make room and restart it; " + Section("schedulerrecordingfailed"));
  }
  for (const MetricSamples::Sample& sample : metrics.Of("berth_silent_watches_total")) {
    report.Note(fmt::format("a watch ({}) fell silent {:.0f} times", sample.labels, sample.value),
                "look at proxies before the API server; " + Section("schedulerwatchsilent"));
  }
  for (const MetricSamples::Sample& sample : metrics.Of("berth_undecodable_fields_total")) {
    report.Note(fmt::format("{:.0f} fields ({}) could not be decoded", sample.value, sample.labels),
                "its log names them; " + Section("schedulercannotdecodefields"));
  }
}

void CheckScheduler(client::ClientConfig scheduler, CheckReport& report) {
  report.Begin("scheduler");
  scheduler.qps = -1;
  const std::string address = scheduler.server;
  net::EventLoop loop;
  const auto client = client::RestClient::Create(loop, std::move(scheduler));
  if (!client) return report.Problem(client.error().message, "correct --address");
  loop.Start();
  const Response health = Get(**client, "/livez?verbose");
  if (!health) {
    return report.Problem(fmt::format("{} does not respond: {}", address, health.error().message),
                          "see whether it runs; " + Section("schedulerdown"));
  }
  const std::vector<std::string> failed = FailedChecks(health->body);
  for (const std::string& check : failed) {
    const Response reason = Get(**client, "/livez/" + check);
    report.Problem(fmt::format("its health check {} fails: {}", check,
                               reason ? reason->body : reason.error().message),
                   "it should be restarted; " + Section("schedulerstuck"));
  }
  if (health->ok()) report.Ok("it is alive");
  if (!health->ok() && failed.empty()) {
    report.Problem(fmt::format("/livez responds with {}: {}", health->status, health->body),
                   "is that a scheduler? " + Section("schedulerdown"));
  }
  const Response metrics = Get(**client, "/metrics");
  if (metrics && metrics->ok()) return JudgeMetrics(MetricSamples::Parse(metrics->body), report);
  report.Note(fmt::format("its metrics cannot be read: {}",
                          metrics ? fmt::format("{} {}", metrics->status, metrics->body)
                                  : metrics.error().message),
              "use a kubeconfig whose user may get /metrics: docs/scheduler.md, \"Metrics without "
              "Prometheus\"");
}

}  // namespace berth::cmd
