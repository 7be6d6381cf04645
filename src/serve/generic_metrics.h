// GenericMetrics are those that every Kubernetes component has: its requests to the API, leader
// election, the build, feature gates, and the process.
#pragma once

#include <string>
#include <string_view>

#include "net/metric_registry.h"
#include "serve/process_values.h"

namespace berth::serve {

// As `--version` tells it; what is not known is empty.
struct BuildInfo {
  std::string major, minor;
  std::string git_version, git_commit, git_tree_state;
  std::string build_date, compiler, platform;
};

struct GenericMetrics {
  // `registry` must outlive this.
  explicit GenericMetrics(net::MetricRegistry& registry);

  void SetBuildInfo(const BuildInfo& build);
  // `stage` is "ALPHA", "BETA", or empty for what is generally available.
  void SetFeature(std::string_view name, std::string_view stage, bool enabled);
  void SetProcess(const ProcessValues& process);

  // --- requests to the API ---
  net::CounterFamily& requests;            // code, method, host
  net::HistogramFamily& request_duration;  // verb, host
  net::HistogramFamily& rate_limiter;      // verb, host
  net::HistogramFamily& request_size;      // verb, host
  net::HistogramFamily& response_size;     // verb, host
  net::CounterFamily& retries;             // code, verb, host

  // --- questions about who asks and what they may ---
  net::CounterFamily& authn_requests;             // code
  net::HistogramFamily& authn_request_duration;   // code
  net::CounterFamily& authz_requests;             // code
  net::HistogramFamily& authz_request_duration;   // code
  net::HistogramFamily& authentication_duration;  // result
  net::CounterFamily& authorization_attempts;     // result
  net::HistogramFamily& authorization_duration;   // result

  // --- leader election ---
  net::GaugeFamily& leader_status;       // name
  net::CounterFamily& leader_slow_path;  // name

 private:
  net::GaugeFamily& build_info_;
  net::GaugeFamily& feature_enabled_;
  net::Counter& cpu_seconds_;
  net::Gauge &open_fds_, &max_fds_;
  net::Gauge &resident_memory_, &virtual_memory_, &virtual_memory_max_;
  net::Gauge& start_time_;
};

}  // namespace berth::serve
