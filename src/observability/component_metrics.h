// ComponentMetrics are the metrics that every Kubernetes component has: requests to the API,
// authentication and authorization, leader election, build, feature gates, and the process, which
// ReadProcess parses from the texts of /proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "observability/metric_registry.h"

namespace berth::observability {

struct ProcessValues {
  double cpu_seconds = 0;
  double resident_memory_bytes = 0;
  double virtual_memory_bytes = 0;
  double virtual_memory_max_bytes = 0;
  double start_time_seconds = 0;  // Since 1970.
  double open_fds = 0;
  double max_fds = 0;
};

// The contents of files that the caller reads.
struct ProcessTexts {
  std::string_view stat;         // /proc/self/stat
  std::string_view limits;       // /proc/self/limits
  std::string_view system_stat;  // /proc/stat
  uint64_t open_fds = 0;         // The entries of /proc/self/fd.
  int64_t ticks_per_second = 100;
  int64_t page_bytes = 4096;
};

// Parses the texts. Values that cannot be parsed are zero; unlimited values are the largest uint64.
ProcessValues ReadProcess(const ProcessTexts& texts);

// As reported by `--version`; unknown values are empty.
struct BuildInfo {
  std::string major, minor;
  std::string git_version, git_commit, git_tree_state;
  std::string build_date, compiler, platform;
};

struct ComponentMetrics {
  // `registry` must outlive this.
  explicit ComponentMetrics(MetricRegistry& registry);

  void SetBuildInfo(const BuildInfo& build);
  // `stage` is "ALPHA", "BETA", or "" for generally available features.
  void SetFeature(std::string_view name, std::string_view stage, bool enabled);
  void SetProcess(const ProcessValues& process);

  // --- requests to the API ---
  CounterFamily& requests;            // code, method, host
  HistogramFamily& request_duration;  // verb, host
  HistogramFamily& rate_limiter;      // verb, host
  HistogramFamily& request_size;      // verb, host
  HistogramFamily& response_size;     // verb, host
  CounterFamily& retries;             // code, verb, host

  // --- authentication and authorization ---
  CounterFamily& authn_requests;             // code
  HistogramFamily& authn_request_duration;   // code
  CounterFamily& authz_requests;             // code
  HistogramFamily& authz_request_duration;   // code
  CounterFamily& authenticated_users;        // username: a category, see UserCategory
  CounterFamily& authentication_attempts;    // result
  HistogramFamily& authentication_duration;  // result
  CounterFamily& authorization_attempts;     // result
  HistogramFamily& authorization_duration;   // result

  // --- leader election ---
  GaugeFamily& leader_status;       // name
  CounterFamily& leader_slow_path;  // name

 private:
  GaugeFamily& build_info_;
  GaugeFamily& feature_enabled_;
  Counter& cpu_seconds_;
  Gauge &open_fds_, &max_fds_;
  Gauge &resident_memory_, &virtual_memory_, &virtual_memory_max_;
  Gauge& start_time_;
};

// Returns what metrics show for a user: names that every cluster has, "email_id" or "other".
std::string_view UserCategory(std::string_view user);

}  // namespace berth::observability
