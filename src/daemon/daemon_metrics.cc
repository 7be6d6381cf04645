#include "daemon/daemon_metrics.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/kubernetes_version.h"
#include "base/steady_clock.h"
#include "build_info/build_info.h"
#include "daemon/options.h"
#include "daemon/version.h"
#include "features/feature_gate_table.h"
#include "observability/component_metrics.h"
#include "observability/metric_registry.h"

namespace berth::daemon {
namespace {

// As upstream: whatever the name of the lease.
constexpr std::string_view kElectionName = "kube-scheduler";

observability::MetricOptions ToMetricOptions(const MetricsFlags& flags) {
  observability::MetricOptions options;
  options.disabled.insert(flags.disabled.begin(), flags.disabled.end());
  options.show_hidden = !flags.show_hidden_for_version.empty();
  // The values of flags are validated when they are parsed.
  for (const auto& [label, values] : flags.allowed_labels) {
    CHECK(options.Allow(fmt::format("{}={}", label, values)).has_value());
  }
  return options;
}

std::string TextOf(const char* path) { return ReadFile(path).value_or(std::string()); }

observability::ProcessValues ThisProcess() {
  const std::string stat = TextOf("/proc/self/stat");
  const std::string limits = TextOf("/proc/self/limits");
  const std::string system = TextOf("/proc/stat");
  observability::ProcessTexts texts{.stat = stat, .limits = limits, .system_stat = system};
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    static_cast<void>(entry);
    ++texts.open_fds;
  }
  texts.ticks_per_second = sysconf(_SC_CLK_TCK);
  texts.page_bytes = sysconf(_SC_PAGESIZE);
  return observability::ReadProcess(texts);
}

observability::BuildInfo ThisBuild() {
  observability::BuildInfo build;
  build.major = "1";
  build.minor = std::to_string(kKubernetesMinor);
  build.git_version = GitVersion();
  const build_info::BuildInfo& own = build_info::ThisBuild();
  build.git_commit = own.commit;
  build.git_tree_state = build_info::TreeState(own);
  build.build_date = own.date;
  build.compiler = own.compiler;
  utsname system = {};
  if (uname(&system) == 0) build.platform = fmt::format("linux/{}", system.machine);
  return build;
}

// Returns client-go's label for a status code.
std::string CodeText(int code) { return code == 0 ? "<error>" : fmt::format("{}", code); }

}  // namespace

DaemonMetrics::DaemonMetrics(const MetricsFlags& flags, const features::FeatureGates& gates)
    : registry_(ToMetricOptions(flags)),
      scheduler_(registry_),
      generic_(registry_),
      shadow_decisions_(registry_.AddCounter(
          {.name = "berth_shadow_decisions_total",
           .help = "Number of decisions of another scheduler compared in shadow mode.",
           .labels = {"decision", "result"}})),
      shadow_states_(
          registry_
              .AddCounter({.name = "berth_shadow_states_total",
                           .help = "Number of cluster states on which decisions of another "
                                   "scheduler were compared in shadow mode."})
              .With({})),
      shadow_duration_(
          registry_
              .AddHistogram(
                  {.name = "berth_shadow_decision_duration_seconds",
                   .help = "Latency of deciding and explaining the same pod in shadow mode.",
                   .buckets = observability::ExponentialBuckets(0.0001, 2, 15)})
              .With({})),
      undecodable_fields_(registry_.AddCounter(
          {.name = "berth_undecodable_fields_total",
           .help = "Number of fields of API objects that could not be decoded and were left out.",
           .labels = {"resource"}})),
      engine_(scheduler_, &SteadyNanos),
      duty_(registry_) {
  generic_.SetBuildInfo(ThisBuild());
  for (const features::FeatureGate& gate : features::AllFeatureGates()) {
    generic_.SetFeature(gate.name, features::StageLabel(gate.stage), gates.IsOn(gate.name));
  }
}

void DaemonMetrics::SetLeader(bool leads) {
  generic_.leader_status.With({kElectionName}).Set(leads ? 1 : 0);
}

void DaemonMetrics::NoteSlowElection() {
  generic_.leader_slow_path.With({kElectionName}).Increment();
}

void DaemonMetrics::Note(const runtime::Judgement& judgement) {
  shadow_decisions_.With({runtime::ToString(judgement.kind), runtime::ToString(judgement.result)})
      .Increment();
  shadow_states_.Increment(judgement.tried);
  shadow_duration_.Observe(judgement.took.seconds());
}

void DaemonMetrics::NoteUndecodable(std::string_view resource, size_t fields) {
  undecodable_fields_.With({resource}).Increment(static_cast<double>(fields));
}

std::string DaemonMetrics::Text() {
  generic_.SetProcess(ThisProcess());
  if (read_duty_) duty_.Set(read_duty_());
  return observability::MetricsText(registry_);
}

void DaemonMetrics::Tried(std::string_view method, std::string_view host, int code) {
  generic_.requests.With({CodeText(code), method, host}).Increment();
}

void DaemonMetrics::Retried(std::string_view method, std::string_view host, int code) {
  generic_.retries.With({CodeText(code), method, host}).Increment();
}

void DaemonMetrics::Finished(std::string_view method, std::string_view host, Duration took) {
  generic_.request_duration.With({method, host}).Observe(took.seconds());
}

void DaemonMetrics::Waited(std::string_view method, std::string_view host, Duration time) {
  generic_.rate_limiter.With({method, host}).Observe(time.seconds());
}

void DaemonMetrics::Sent(std::string_view method, std::string_view host, size_t bytes) {
  generic_.request_size.With({method, host}).Observe(static_cast<double>(bytes));
}

void DaemonMetrics::Received(std::string_view method, std::string_view host, size_t bytes) {
  generic_.response_size.With({method, host}).Observe(static_cast<double>(bytes));
}

void DaemonMetrics::Authenticated(std::string_view result, Duration took) {
  generic_.authentication_attempts.With({result}).Increment();
  generic_.authentication_duration.With({result}).Observe(took.seconds());
}

void DaemonMetrics::AuthenticatedAs(std::string_view user) {
  generic_.authenticated_users.With({observability::UserCategory(user)}).Increment();
}

void DaemonMetrics::Authorized(std::string_view result, Duration took) {
  generic_.authorization_attempts.With({result}).Increment();
  generic_.authorization_duration.With({result}).Observe(took.seconds());
}

}  // namespace berth::daemon
