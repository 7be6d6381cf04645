#include "observability/scheduling/scheduler_metrics.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "observability/component_metrics.h"
#include "observability/metric_registry.h"
#include "observability/metrics_testing.h"

namespace berth::observability::scheduling {
namespace BERTH_TEST_FILE {

// The first and last bounds, and their number.
struct Buckets {
  const char* first = "";
  const char* last = "";
  size_t count = 0;
};

struct ExpectedMetric {
  const char* name;
  const char* type;
  const char* stability;
  std::vector<std::string> labels = {};
  Buckets buckets = {};
};

constexpr Buckets kAttempt{"0.001", "16.384", 15};
constexpr Buckets kSli{"0.01", "5242.88", 20};
constexpr Buckets kPoint{"0.0001", "0.2048", 12};
constexpr Buckets kPlugin{"1e-05", "0.02216837820053101", 20};
constexpr Buckets kQuick{"1e-05", "0.02048", 12};
constexpr Buckets kRequest{"0.005", "60", 12};
constexpr Buckets kBytes{"64", "1.6777216e+07", 11};
constexpr Buckets kReview{"0.25", "10", 8};
constexpr Buckets kWork{"1e-08", "1000", 12};

const std::vector<ExpectedMetric> kScheduler = {
    {"scheduler_schedule_attempts_total", "counter", "STABLE", {"result", "profile"}},
    {"scheduler_scheduling_attempt_duration_seconds",
     "histogram",
     "STABLE",
     {"result", "profile"},
     kAttempt},
    {"scheduler_scheduling_algorithm_duration_seconds", "histogram", "ALPHA", {}, kAttempt},
    {"scheduler_pod_scheduling_attempts", "histogram", "STABLE", {}, {"1", "16", 5}},
    {"scheduler_pod_scheduling_sli_duration_seconds", "histogram", "BETA", {"attempts"}, kSli},
    {"scheduler_pending_pods", "gauge", "STABLE", {"queue"}},
    {"scheduler_queue_incoming_pods_total", "counter", "STABLE", {"queue", "event"}},
    {"scheduler_framework_extension_point_duration_seconds",
     "histogram",
     "STABLE",
     {"extension_point", "status", "profile"},
     kPoint},
    {"scheduler_plugin_execution_duration_seconds",
     "histogram",
     "ALPHA",
     {"plugin", "extension_point", "status"},
     kPlugin},
    {"scheduler_plugin_evaluation_total",
     "counter",
     "BETA",
     {"plugin", "extension_point", "profile"}},
    {"scheduler_preemption_victims", "histogram", "STABLE", {}, {"1", "64", 7}},
    {"scheduler_preemption_attempts_total", "counter", "STABLE"},
    {"scheduler_preemption_goroutines_duration_seconds", "histogram", "ALPHA", {"result"}, kSli},
    {"scheduler_preemption_goroutines_execution_total", "counter", "ALPHA", {"result"}},
    {"scheduler_unschedulable_pods", "gauge", "BETA", {"plugin", "profile"}},
    {"scheduler_permit_wait_duration_seconds", "histogram", "BETA", {"result"}, kAttempt},
    {"scheduler_goroutines", "gauge", "BETA", {"operation"}},
    {"scheduler_cache_size", "gauge", "ALPHA", {"type"}},
    {"scheduler_event_handling_duration_seconds", "histogram", "ALPHA", {"event"}, kPoint},
    {"scheduler_queueing_hint_execution_duration_seconds",
     "histogram",
     "ALPHA",
     {"plugin", "event", "hint"},
     kPlugin},
    {"scheduler_inflight_events", "gauge", "ALPHA", {"event"}},
    {"scheduler_pod_scheduled_after_flush_total", "counter", "ALPHA"},
    {"scheduler_batch_attempts_total", "counter", "ALPHA", {"profile", "result"}},
    {"scheduler_batch_cache_flushed_total", "counter", "ALPHA", {"profile", "reason"}},
    {"scheduler_get_node_hint_duration_seconds",
     "histogram",
     "ALPHA",
     {"hinted", "profile"},
     kQuick},
    {"scheduler_store_schedule_results_duration_seconds",
     "histogram",
     "ALPHA",
     {"profile"},
     kQuick},
    {"scheduler_resourceclaim_creates_total", "counter", "ALPHA", {"status"}},
    {"scheduler_dra_bindingconditions_allocations_total",
     "counter",
     "ALPHA",
     {"profile", "driver", "status"}},
    {"scheduler_dra_bindingconditions_wait_duration_seconds",
     "histogram",
     "ALPHA",
     {"profile", "driver", "status"},
     {"0.1", "819.2", 14}},
    {"scheduler_volume_binder_cache_requests_total", "counter", "ALPHA", {"operation"}},
    {"scheduler_volume_scheduling_stage_error_total", "counter", "ALPHA", {"operation"}},
    {"scheduler_async_api_call_execution_total", "counter", "ALPHA", {"call_type", "result"}},
    {"scheduler_async_api_call_execution_duration_seconds",
     "histogram",
     "ALPHA",
     {"call_type", "result"},
     kAttempt},
    {"scheduler_pending_async_api_calls", "gauge", "ALPHA", {"call_type"}},
    {"scheduler_podgroup_schedule_attempts_total", "counter", "ALPHA", {"result", "profile"}},
    {"scheduler_podgroup_scheduling_attempt_duration_seconds",
     "histogram",
     "ALPHA",
     {"result", "profile"},
     kAttempt},
    {"scheduler_podgroup_scheduling_algorithm_duration_seconds",
     "histogram",
     "ALPHA",
     {},
     kAttempt},
};

const std::vector<ExpectedMetric> kGeneric = {
    {"rest_client_requests_total", "counter", "ALPHA", {"code", "method", "host"}},
    {"rest_client_request_duration_seconds", "histogram", "ALPHA", {"verb", "host"}, kRequest},
    {"rest_client_rate_limiter_duration_seconds", "histogram", "ALPHA", {"verb", "host"}, kRequest},
    {"rest_client_request_size_bytes", "histogram", "ALPHA", {"verb", "host"}, kBytes},
    {"rest_client_response_size_bytes", "histogram", "ALPHA", {"verb", "host"}, kBytes},
    {"rest_client_request_retries_total", "counter", "ALPHA", {"code", "verb", "host"}},
    {"leader_election_master_status", "gauge", "ALPHA", {"name"}},
    {"leader_election_slowpath_total", "counter", "ALPHA", {"name"}},
    {"workqueue_adds_total", "counter", "ALPHA", {"name"}},
    {"workqueue_depth", "gauge", "ALPHA", {"name"}},
    {"workqueue_queue_duration_seconds", "histogram", "ALPHA", {"name"}, kWork},
    {"workqueue_work_duration_seconds", "histogram", "ALPHA", {"name"}, kWork},
    {"workqueue_unfinished_work_seconds", "gauge", "ALPHA", {"name"}},
    {"workqueue_longest_running_processor_seconds", "gauge", "ALPHA", {"name"}},
    {"workqueue_retries_total", "counter", "ALPHA", {"name"}},
    {"kubernetes_build_info",
     "gauge",
     "ALPHA",
     {"build_date", "compiler", "git_commit", "git_tree_state", "git_version", "go_version",
      "major", "minor", "platform"}},
    {"kubernetes_feature_enabled", "gauge", "BETA", {"name", "stage"}},
    {"apiserver_delegated_authn_request_total", "counter", "ALPHA", {"code"}},
    {"apiserver_delegated_authn_request_duration_seconds", "histogram", "ALPHA", {"code"}, kReview},
    {"apiserver_delegated_authz_request_total", "counter", "ALPHA", {"code"}},
    {"apiserver_delegated_authz_request_duration_seconds", "histogram", "ALPHA", {"code"}, kReview},
    {"authenticated_user_requests", "counter", "ALPHA", {"username"}},
    {"authentication_attempts", "counter", "ALPHA", {"result"}},
    {"authentication_duration_seconds", "histogram", "ALPHA", {"result"}, kAttempt},
    {"authorization_attempts_total", "counter", "ALPHA", {"result"}},
    {"authorization_duration_seconds", "histogram", "ALPHA", {"result"}, kAttempt},
    {"process_cpu_seconds_total", "counter", ""},
    {"process_open_fds", "gauge", ""},
    {"process_max_fds", "gauge", ""},
    {"process_resident_memory_bytes", "gauge", ""},
    {"process_virtual_memory_bytes", "gauge", ""},
    {"process_virtual_memory_max_bytes", "gauge", ""},
    {"process_start_time_seconds", "gauge", ""},
};

// Creates a series of each family, so that its labels and buckets are visible.
void TouchAll(MetricRegistry& registry) {
  registry.ForEach([]<typename Family>(const Family& family) {
    const std::vector<std::string_view> values(family.spec().labels.size(), "v");
    const_cast<Family&>(family).With(values);
  });
}

std::string LabelText(std::vector<std::string> labels, const std::string& bound = "") {
  std::string text;
  std::ranges::sort(labels);
  for (const std::string& label : labels) text += (text.empty() ? "" : ",") + label + "=\"v\"";
  if (!bound.empty()) text += (text.empty() ? "le=\"" : ",le=\"") + bound + "\"";
  return text.empty() ? "" : "{" + text + "}";
}

void ExpectKnown(const std::vector<ExpectedMetric>& all, MetricRegistry& registry) {
  TouchAll(registry);
  const auto scraped = Scrape(MetricsText(registry));
  EXPECT_EQ(scraped.size(), all.size());
  for (const ExpectedMetric& known : all) {
    SCOPED_TRACE(known.name);
    const auto found = scraped.find(known.name);
    if (found == scraped.end()) {
      ADD_FAILURE() << "missing";
      continue;
    }
    const ScrapedFamily& family = found->second;
    EXPECT_EQ(family.type, known.type);
    const std::string prefix =
        *known.stability == 0 ? "" : std::string("[") + known.stability + "] ";
    EXPECT_TRUE(family.help.starts_with(prefix)) << family.help;
    EXPECT_GT(family.help.size(), prefix.size());
    const std::string name = known.name;
    if (family.type != "histogram") {
      EXPECT_TRUE(family.samples.contains(name + LabelText(known.labels)));
      EXPECT_EQ(family.samples.size(), 1u);
      continue;
    }
    for (const char* bound : {known.buckets.first, known.buckets.last, "+Inf"})
      EXPECT_TRUE(family.samples.contains(name + "_bucket" + LabelText(known.labels, bound)))
          << bound;
    EXPECT_TRUE(family.samples.contains(name + "_sum" + LabelText(known.labels)));
    EXPECT_TRUE(family.samples.contains(name + "_count" + LabelText(known.labels)));
    EXPECT_EQ(family.samples.size(), known.buckets.count + 3);
  }
}

TEST(SchedulerMetrics, MatchKubeScheduler) {
  MetricRegistry registry;
  const SchedulerMetrics metrics(registry);
  ExpectKnown(kScheduler, registry);
}

TEST(ComponentMetrics, MatchKubernetesComponents) {
  MetricRegistry registry;
  const ComponentMetrics metrics(registry);
  ExpectKnown(kGeneric, registry);
}

TEST(SchedulerMetrics, FamiliesArePresentFromTheStart) {
  MetricRegistry registry;
  const SchedulerMetrics scheduler(registry);
  const ComponentMetrics generic(registry);
  EXPECT_EQ(Scrape(MetricsText(registry)).size(), kScheduler.size() + kGeneric.size());
}

TEST(ComponentMetrics, ReportBuildFeaturesAndProcess) {
  MetricRegistry registry;
  ComponentMetrics metrics(registry);
  metrics.SetBuildInfo({.major = "1",
                        .minor = "36",
                        .git_version = "v1.36.0+berth",
                        .git_commit = "abc",
                        .git_tree_state = "clean",
                        .build_date = "2026-01-01T00:00:00Z",
                        .compiler = "gcc",
                        .platform = "linux/amd64"});
  metrics.SetFeature("OpportunisticBatching", "BETA", true);
  metrics.SetFeature("GangScheduling", "ALPHA", false);
  metrics.SetProcess({.cpu_seconds = 1.5, .resident_memory_bytes = 4096, .open_fds = 7});
  metrics.SetProcess({.cpu_seconds = 2.5, .resident_memory_bytes = 8192, .open_fds = 6});
  auto scraped = Scrape(MetricsText(registry));
  EXPECT_EQ(scraped["kubernetes_build_info"]
                .samples["kubernetes_build_info{build_date=\"2026-01-01T00:00:00Z\",compiler="
                         "\"gcc\",git_commit=\"abc\",git_tree_state=\"clean\",git_version="
                         "\"v1.36.0+berth\",go_version=\"\",major=\"1\",minor=\"36\",platform="
                         "\"linux/amd64\"}"],
            1);
  const std::map<std::string, double> features = {
      {"kubernetes_feature_enabled{name=\"GangScheduling\",stage=\"ALPHA\"}", 0},
      {"kubernetes_feature_enabled{name=\"OpportunisticBatching\",stage=\"BETA\"}", 1}};
  EXPECT_EQ(scraped["kubernetes_feature_enabled"].samples, features);
  EXPECT_EQ(scraped["process_cpu_seconds_total"].samples["process_cpu_seconds_total"], 2.5);
  EXPECT_EQ(scraped["process_resident_memory_bytes"].samples["process_resident_memory_bytes"],
            8192);
  EXPECT_EQ(scraped["process_open_fds"].samples["process_open_fds"], 6);
}

TEST(ProcessValues, AreParsedFromProc) {
  const ProcessValues values = ReadProcess(
      {.stat = "42 (a ) b) S 1 42 42 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 3 0 1000 10485760 256 "
               "18446744073709551615 1 1\n",
       .limits = "Limit                     Soft Limit           Hard Limit           Units\n"
                 "Max open files            1024                 524288               files\n"
                 "Max address space         unlimited            unlimited            bytes\n",
       .system_stat = "cpu  1 2 3\nbtime 1700000000\nprocesses 5\n",
       .open_fds = 9,
       .ticks_per_second = 100,
       .page_bytes = 4096});
  EXPECT_EQ(values.cpu_seconds, 2);
  EXPECT_EQ(values.resident_memory_bytes, 256 * 4096);
  EXPECT_EQ(values.virtual_memory_bytes, 10485760);
  EXPECT_EQ(values.virtual_memory_max_bytes, 18446744073709551615.0);
  EXPECT_EQ(values.start_time_seconds, 1700000010);
  EXPECT_EQ(values.open_fds, 9);
  EXPECT_EQ(values.max_fds, 1024);
}

TEST(ProcessValues, MalformedTextsGiveZeros) {
  for (const char* text : {"", "42", "42 (x", "42 (x)", "42 (x) S 1", "))))", "\n\n"}) {
    const ProcessValues values =
        ReadProcess({.stat = text, .limits = text, .system_stat = text, .open_fds = 0});
    EXPECT_EQ(values.cpu_seconds, 0) << text;
    EXPECT_EQ(values.resident_memory_bytes, 0) << text;
    EXPECT_EQ(values.max_fds, 0) << text;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability::scheduling
