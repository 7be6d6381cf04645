// Configuration is a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) with its defaults
// applied.
//
//   text ──Decode──► Configuration ──Validate──► errors, or none ──ToProfileConfigs──► framework
//
// Load does the first two steps. Decode (load.h) applies the defaults (defaults.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/features.h"

namespace berth::scheduler::config {

inline constexpr std::string_view kGroup = "kubescheduler.config.k8s.io";
inline constexpr std::string_view kApiVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr std::string_view kKind = "KubeSchedulerConfiguration";

struct LeaderElection {
  bool leader_elect = true;
  Duration lease_duration = Duration::Seconds(15);
  Duration renew_deadline = Duration::Seconds(10);
  Duration retry_period = Duration::Seconds(2);
  std::string resource_lock = "leases";
  std::string resource_name = "kube-scheduler";
  std::string resource_namespace = "kube-system";
};

struct ClientConnection {
  std::string kubeconfig;
  std::string accept_content_types;
  std::string content_type = "application/vnd.kubernetes.protobuf";
  float qps = 50;
  int32_t burst = 100;
};

struct PluginConfig {
  std::string name;
  framework::PluginArgs args;
};

struct SchedulerProfile {
  std::optional<std::string> scheduler_name;
  std::optional<int32_t> percentage_of_nodes_to_score;
  framework::PluginSet multi_point;
  // As written, before the defaults were merged in: messages refer to it by index. Empty if nothing
  // was merged.
  std::optional<framework::PluginSet> written_multi_point;
  std::array<framework::PluginSet, framework::kExtensionPoints> points;
  // The user's entries, in order, then the defaults of other enabled plugins, by name.
  std::vector<PluginConfig> plugin_config;
};

struct Configuration {
  int32_t parallelism = 16;
  LeaderElection leader_election;
  ClientConnection client_connection;
  bool enable_profiling = true;
  std::optional<bool> enable_contention_profiling;  // enable_profiling if unset.
  std::optional<int32_t> percentage_of_nodes_to_score = 0;
  int64_t pod_initial_backoff_seconds = 1;
  int64_t pod_max_backoff_seconds = 10;
  std::vector<SchedulerProfile> profiles;
  std::vector<framework::ExtenderConfig> extenders;
  bool delay_cache_until_active = false;
  // Not part of the file: the feature gates, which some defaults and rules depend on.
  model::Features features = {};
};

// Returns the configuration of a kube-scheduler without a configuration file.
Configuration Default(const model::Features& features = {});

// Loads YAML or JSON. The error has one line per mistake of the first step that fails, each with
// `file` and the field's path.
Result<Configuration> Load(std::string_view text, std::string_view file,
                           const model::Features& features = {});

}  // namespace berth::scheduler::config
