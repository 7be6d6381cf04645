#include "serve/generic_metrics.h"

namespace berth::serve {
namespace {

using net::ExponentialBuckets;
using enum net::Stability;

const std::vector<double> kRequestSeconds = {0.005, 0.025, 0.1, 0.25, 0.5,  1.0,
                                             2.0,   4.0,   8.0, 15.0, 30.0, 60.0};
const std::vector<double> kBodyBytes = {64,    256,    512,     1024,    4096,    16384,
                                        65536, 262144, 1048576, 4194304, 16777216};
const std::vector<double> kReviewSeconds = {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10};

const std::vector<double> kAccessSeconds = ExponentialBuckets(0.001, 2, 15);

net::MetricSpec Spec(std::string name, std::vector<std::string> labels, std::string help,
                     std::vector<double> buckets = {}) {
  return {.name = std::move(name),
          .help = std::move(help),
          .labels = std::move(labels),
          .buckets = std::move(buckets)};
}

net::MetricSpec OfProcess(std::string name, std::string help) {
  return {.name = "process_" + std::move(name), .help = std::move(help), .stability = kUnsaid};
}

// Berth has no work queues in the sense of these; kube-scheduler's serve its controllers of
// certificates and configuration.
void RegisterWorkQueues(net::MetricRegistry& registry) {
  const std::vector<double> seconds = ExponentialBuckets(10e-9, 10, 12);
  registry.AddCounter(Spec("workqueue_adds_total", {"name"}, "Items put into a work queue."));
  registry.AddGauge(Spec("workqueue_depth", {"name"}, "Items that wait in a work queue."));
  registry.AddHistogram(Spec("workqueue_queue_duration_seconds", {"name"},
                             "How long items waited in a work queue.", seconds));
  registry.AddHistogram(Spec("workqueue_work_duration_seconds", {"name"},
                             "How long the work on an item took.", seconds));
  registry.AddGauge(Spec("workqueue_unfinished_work_seconds", {"name"},
                         "How long all items in work have been worked on, together."));
  registry.AddGauge(Spec("workqueue_longest_running_processor_seconds", {"name"},
                         "How long the oldest item in work has been worked on."));
  registry.AddCounter(
      Spec("workqueue_retries_total", {"name"}, "Items put into a work queue once more."));
}

}  // namespace

GenericMetrics::GenericMetrics(net::MetricRegistry& registry)
    : requests(registry.AddCounter(Spec("rest_client_requests_total", {"code", "method", "host"},
                                        "Requests to the API, by the status of the answer."))),
      request_duration(
          registry.AddHistogram(Spec("rest_client_request_duration_seconds", {"verb", "host"},
                                     "How long requests to the API took.", kRequestSeconds))),
      rate_limiter(registry.AddHistogram(
          Spec("rest_client_rate_limiter_duration_seconds", {"verb", "host"},
               "How long requests waited because there were too many.", kRequestSeconds))),
      request_size(registry.AddHistogram(Spec("rest_client_request_size_bytes", {"verb", "host"},
                                              "How large requests to the API were.", kBodyBytes))),
      response_size(registry.AddHistogram(Spec("rest_client_response_size_bytes", {"verb", "host"},
                                               "How large answers of the API were.", kBodyBytes))),
      retries(
          registry.AddCounter(Spec("rest_client_request_retries_total", {"code", "verb", "host"},
                                   "Requests to the API that were made again."))),
      authn_requests(registry.AddCounter(
          Spec("apiserver_delegated_authn_request_total", {"code"},
               "Tokens that the API was asked about, by the status of the answer."))),
      authn_request_duration(registry.AddHistogram(
          Spec("apiserver_delegated_authn_request_duration_seconds", {"code"},
               "How long the API took to answer about a token.", kReviewSeconds))),
      authz_requests(registry.AddCounter(
          Spec("apiserver_delegated_authz_request_total", {"code"},
               "Permissions that the API was asked about, by the status of the answer."))),
      authz_request_duration(registry.AddHistogram(
          Spec("apiserver_delegated_authz_request_duration_seconds", {"code"},
               "How long the API took to answer about a permission.", kReviewSeconds))),
      authentication_duration(
          registry.AddHistogram(Spec("authentication_duration_seconds", {"result"},
                                     "How long it took to find out who asks.", kAccessSeconds))),
      authorization_attempts(
          registry.AddCounter(Spec("authorization_attempts_total", {"result"},
                                   "Requests that needed permission, by what was decided."))),
      authorization_duration(registry.AddHistogram(
          Spec("authorization_duration_seconds", {"result"},
               "How long it took to find out whether somebody may.", kAccessSeconds))),
      leader_status(registry.AddGauge(Spec("leader_election_master_status", {"name"},
                                           "1 if this process leads, 0 if it stands by."))),
      leader_slow_path(
          registry.AddCounter(Spec("leader_election_slowpath_total", {"name"},
                                   "How often renewing the lease took more than one write."))),
      build_info_(
          registry.AddGauge(Spec("kubernetes_build_info",
                                 {"build_date", "compiler", "git_commit", "git_tree_state",
                                  "git_version", "go_version", "major", "minor", "platform"},
                                 "Always 1; its labels say what was built, from what, and when."))),
      feature_enabled_(registry.AddGauge({.name = "kubernetes_feature_enabled",
                                          .help = "1 if the feature is on, by name and stage.",
                                          .stability = kBeta,
                                          .labels = {"name", "stage"}})),
      cpu_seconds_(
          registry.AddCounter(OfProcess("cpu_seconds_total", "Processor time used, in seconds."))
              .With({})),
      open_fds_(registry.AddGauge(OfProcess("open_fds", "File descriptors in use.")).With({})),
      max_fds_(
          registry.AddGauge(OfProcess("max_fds", "File descriptors that may be used.")).With({})),
      resident_memory_(
          registry.AddGauge(OfProcess("resident_memory_bytes", "Memory in use.")).With({})),
      virtual_memory_(
          registry.AddGauge(OfProcess("virtual_memory_bytes", "Address space in use.")).With({})),
      virtual_memory_max_(
          registry
              .AddGauge(OfProcess("virtual_memory_max_bytes", "Address space that may be used."))
              .With({})),
      start_time_(registry
                      .AddGauge(OfProcess("start_time_seconds",
                                          "When the process began, in seconds since 1970."))
                      .With({})) {
  RegisterWorkQueues(registry);
}

void GenericMetrics::SetBuildInfo(const BuildInfo& build) {
  build_info_
      .With({build.build_date, build.compiler, build.git_commit, build.git_tree_state,
             build.git_version, /*go_version=*/"", build.major, build.minor, build.platform})
      .Set(1);
}

void GenericMetrics::SetFeature(std::string_view name, std::string_view stage, bool enabled) {
  feature_enabled_.With({name, stage}).Set(enabled ? 1 : 0);
}

void GenericMetrics::SetProcess(const ProcessValues& process) {
  cpu_seconds_.Set(process.cpu_seconds);
  open_fds_.Set(process.open_fds);
  max_fds_.Set(process.max_fds);
  resident_memory_.Set(process.resident_memory_bytes);
  virtual_memory_.Set(process.virtual_memory_bytes);
  virtual_memory_max_.Set(process.virtual_memory_max_bytes);
  start_time_.Set(process.start_time_seconds);
}

}  // namespace berth::serve
