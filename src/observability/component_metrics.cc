#include "observability/component_metrics.h"

#include <charconv>
#include <cstddef>
#include <limits>
#include <vector>

namespace berth::observability {
namespace {

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; (begin = text.find_first_not_of(" \t\n", begin)) != text.npos;) {
    const size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

double Number(std::string_view text) {
  if (text == "unlimited") return static_cast<double>(std::numeric_limits<uint64_t>::max());
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return static_cast<double>(number);
}

// Returns the first word after `head` in the line that starts with it.
std::string_view After(std::string_view text, std::string_view head) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with(head)) {
      const auto words = Words(line.substr(head.size()));
      return words.empty() ? std::string_view() : words[0];
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace

ProcessValues ReadProcess(const ProcessTexts& texts) {
  ProcessValues values;
  values.open_fds = static_cast<double>(texts.open_fds);
  values.max_fds = Number(After(texts.limits, "Max open files"));
  values.virtual_memory_max_bytes = Number(After(texts.limits, "Max address space"));
  // The second field, the command's name, may contain blanks and parentheses.
  const size_t name_end = texts.stat.rfind(')');
  if (name_end == std::string_view::npos) return values;
  const auto fields = Words(texts.stat.substr(name_end + 1));
  auto field = [&](size_t number) {  // Numbered from one, as in proc(5).
    return number - 3 < fields.size() ? Number(fields[number - 3]) : 0.0;
  };
  const auto ticks = static_cast<double>(texts.ticks_per_second);
  values.cpu_seconds = (field(14) + field(15)) / ticks;
  values.start_time_seconds = Number(After(texts.system_stat, "btime")) + field(22) / ticks;
  values.virtual_memory_bytes = field(23);
  values.resident_memory_bytes = field(24) * static_cast<double>(texts.page_bytes);
  return values;
}

namespace {

using enum Stability;

const std::vector<double> kRequestSeconds = {0.005, 0.025, 0.1, 0.25, 0.5,  1.0,
                                             2.0,   4.0,   8.0, 15.0, 30.0, 60.0};
const std::vector<double> kBodyBytes = {64,    256,    512,     1024,    4096,    16384,
                                        65536, 262144, 1048576, 4194304, 16777216};
const std::vector<double> kReviewSeconds = {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10};

const std::vector<double> kAccessSeconds = ExponentialBuckets(0.001, 2, 15);

MetricSpec Spec(std::string name, std::vector<std::string> labels, std::string help,
                std::vector<double> buckets = {}) {
  return {.name = std::move(name),
          .help = std::move(help),
          .labels = std::move(labels),
          .buckets = std::move(buckets)};
}

MetricSpec ProcessSpec(std::string name, std::string help) {
  return {.name = "process_" + std::move(name), .help = std::move(help), .stability = kNone};
}

// Berth has no such work queues; kube-scheduler's serve its certificate and configuration
// controllers.
void RegisterWorkQueues(MetricRegistry& registry) {
  const std::vector<double> seconds = ExponentialBuckets(10e-9, 10, 12);
  registry.AddCounter(
      Spec("workqueue_adds_total", {"name"}, "Number of adds handled by the work queue."));
  registry.AddGauge(Spec("workqueue_depth", {"name"}, "Current depth of the work queue."));
  registry.AddHistogram(Spec("workqueue_queue_duration_seconds", {"name"},
                             "Time that an item waits in the work queue.", seconds));
  registry.AddHistogram(Spec("workqueue_work_duration_seconds", {"name"},
                             "Time to process an item of the work queue.", seconds));
  registry.AddGauge(
      Spec("workqueue_unfinished_work_seconds", {"name"}, "Total time of items in progress."));
  registry.AddGauge(Spec("workqueue_longest_running_processor_seconds", {"name"},
                         "Time of the longest running processor."));
  registry.AddCounter(
      Spec("workqueue_retries_total", {"name"}, "Number of retries handled by the work queue."));
}

}  // namespace

ComponentMetrics::ComponentMetrics(MetricRegistry& registry)
    : requests(
          registry.AddCounter(Spec("rest_client_requests_total", {"code", "method", "host"},
                                   "Number of HTTP requests, by status code, method and host."))),
      request_duration(
          registry.AddHistogram(Spec("rest_client_request_duration_seconds", {"verb", "host"},
                                     "Request latency.", kRequestSeconds))),
      rate_limiter(
          registry.AddHistogram(Spec("rest_client_rate_limiter_duration_seconds", {"verb", "host"},
                                     "Latency of the client-side rate limiter.", kRequestSeconds))),
      request_size(registry.AddHistogram(
          Spec("rest_client_request_size_bytes", {"verb", "host"}, "Request size.", kBodyBytes))),
      response_size(registry.AddHistogram(
          Spec("rest_client_response_size_bytes", {"verb", "host"}, "Response size.", kBodyBytes))),
      retries(
          registry.AddCounter(Spec("rest_client_request_retries_total", {"code", "verb", "host"},
                                   "Number of request retries, by status code, verb and host."))),
      authn_requests(registry.AddCounter(Spec("apiserver_delegated_authn_request_total", {"code"},
                                              "Number of TokenReview requests, by status code."))),
      authn_request_duration(
          registry.AddHistogram(Spec("apiserver_delegated_authn_request_duration_seconds", {"code"},
                                     "Latency of TokenReview requests.", kReviewSeconds))),
      authz_requests(
          registry.AddCounter(Spec("apiserver_delegated_authz_request_total", {"code"},
                                   "Number of SubjectAccessReview requests, by status code."))),
      authz_request_duration(
          registry.AddHistogram(Spec("apiserver_delegated_authz_request_duration_seconds", {"code"},
                                     "Latency of SubjectAccessReview requests.", kReviewSeconds))),
      authenticated_users(
          registry.AddCounter(Spec("authenticated_user_requests", {"username"},
                                   "Number of authenticated requests, by category of user."))),
      authentication_attempts(registry.AddCounter(Spec(
          "authentication_attempts", {"result"}, "Number of authentication attempts, by result."))),
      authentication_duration(
          registry.AddHistogram(Spec("authentication_duration_seconds", {"result"},
                                     "Authentication latency, by result.", kAccessSeconds))),
      authorization_attempts(
          registry.AddCounter(Spec("authorization_attempts_total", {"result"},
                                   "Number of authorization attempts, by result."))),
      authorization_duration(
          registry.AddHistogram(Spec("authorization_duration_seconds", {"result"},
                                     "Authorization latency, by result.", kAccessSeconds))),
      leader_status(
          registry.AddGauge(Spec("leader_election_master_status", {"name"},
                                 "1 if this process is the leader, 0 if it is standby."))),
      leader_slow_path(
          registry.AddCounter(Spec("leader_election_slowpath_total", {"name"},
                                   "Number of lease renewals that needed more than one write."))),
      build_info_(
          registry.AddGauge(Spec("kubernetes_build_info",
                                 {"build_date", "compiler", "git_commit", "git_tree_state",
                                  "git_version", "go_version", "major", "minor", "platform"},
                                 "Constant 1, labelled with build information."))),
      feature_enabled_(
          registry.AddGauge({.name = "kubernetes_feature_enabled",
                             .help = "1 if the feature gate is enabled, by name and stage.",
                             .stability = kBeta,
                             .labels = {"name", "stage"}})),
      cpu_seconds_(
          registry.AddCounter(ProcessSpec("cpu_seconds_total", "Processor time used, in seconds."))
              .With({})),
      open_fds_(registry.AddGauge(ProcessSpec("open_fds", "File descriptors in use.")).With({})),
      max_fds_(
          registry.AddGauge(ProcessSpec("max_fds", "File descriptors that may be used.")).With({})),
      resident_memory_(
          registry.AddGauge(ProcessSpec("resident_memory_bytes", "Memory in use.")).With({})),
      virtual_memory_(
          registry.AddGauge(ProcessSpec("virtual_memory_bytes", "Address space in use.")).With({})),
      virtual_memory_max_(
          registry
              .AddGauge(ProcessSpec("virtual_memory_max_bytes", "Address space that may be used."))
              .With({})),
      start_time_(registry
                      .AddGauge(ProcessSpec("start_time_seconds",
                                            "When the process started, in seconds since 1970."))
                      .With({})) {
  RegisterWorkQueues(registry);
}

void ComponentMetrics::SetBuildInfo(const BuildInfo& build) {
  build_info_
      .With({build.build_date, build.compiler, build.git_commit, build.git_tree_state,
             build.git_version, /*go_version=*/"", build.major, build.minor, build.platform})
      .Set(1);
}

void ComponentMetrics::SetFeature(std::string_view name, std::string_view stage, bool enabled) {
  feature_enabled_.With({name, stage}).Set(enabled ? 1 : 0);
}

void ComponentMetrics::SetProcess(const ProcessValues& process) {
  cpu_seconds_.Set(process.cpu_seconds);
  open_fds_.Set(process.open_fds);
  max_fds_.Set(process.max_fds);
  resident_memory_.Set(process.resident_memory_bytes);
  virtual_memory_.Set(process.virtual_memory_bytes);
  virtual_memory_max_.Set(process.virtual_memory_max_bytes);
  start_time_.Set(process.start_time_seconds);
}

std::string_view UserCategory(std::string_view user) {
  for (std::string_view known :
       {"admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"}) {
    if (user == known) return known;
  }
  return user.contains('@') ? "email_id" : "other";
}

}  // namespace berth::observability
