// The field names of the configuration and of plugin arguments, declared once for decoding and
// printing, and access to the struct inside a PluginArgs.
//
// Continues api/json/fields.h: Fields(visitor, value) has one line per field. Beyond
//   v("name", field)            not printed when it is zero, empty or absent
//   v.Required("name", field)   always printed
//   v.Group("plugins", fields)  an object whose fields live in the same struct
// the visitors here support
//   v.PluginNames("disabled", names)           a list of plugins of which only the names count
//   v.Within("ratio", "shape", optional_list)  an optional object with a single field
//
// Decoding starts from the struct's defaults: a field that is absent or null retains its own.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "api/json/fields.h"
#include "api/json/fields_pod.h"
#include "scheduler/config/configuration.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/registry.h"

namespace berth::scheduler::config {

// Calls use(name, std::type_identity<Args>()) for each in-tree plugin with arguments. The kind is
// the name followed by "Args".
template <typename Use>
void ForEachArgsKind(Use use) {
  use("DefaultPreemption", std::type_identity<framework::DefaultPreemptionArgs>());
  use("DynamicResources", std::type_identity<framework::DynamicResourcesArgs>());
  use("GangScheduling", std::type_identity<framework::GangSchedulingArgs>());
  use("InterPodAffinity", std::type_identity<framework::InterPodAffinityArgs>());
  use("NodeAffinity", std::type_identity<framework::NodeAffinityArgs>());
  use("NodeResourcesBalancedAllocation",
      std::type_identity<framework::NodeResourcesBalancedAllocationArgs>());
  use("NodeResourcesFit", std::type_identity<framework::NodeResourcesFitArgs>());
  use("PodTopologySpread", std::type_identity<framework::PodTopologySpreadArgs>());
  use("VolumeBinding", std::type_identity<framework::VolumeBindingArgs>());
}

// Calls use(std::type_identity<Args>()) for the named plugin; returns false if it has no arguments.
template <typename Use>
bool WithArgsKind(std::string_view plugin, Use use) {
  bool found = false;
  ForEachArgsKind([&](std::string_view name, auto kind) {
    if (name != plugin) return;
    found = true;
    use(kind);
  });
  return found;
}

// Calls use(plugin, struct) if `args` (const or not) holds one of the structs; returns false
// otherwise.
template <typename Any, typename Use>
bool VisitArgs(Any& args, Use use) {
  bool found = false;
  ForEachArgsKind([&]<typename Args>(std::string_view name, std::type_identity<Args>) {
    if (auto* held = std::any_cast<Args>(&args)) {
      found = true;
      use(name, *held);
    }
  });
  return found;
}

using api::Like;

// Prepares a struct for decoding if it should not start from its defaults.
template <typename T>
void StartReading(T&) {}

void Fields(auto& v, Like<framework::DefaultPreemptionArgs> auto& t) {
  v.Required("minCandidateNodesPercentage", t.min_candidate_nodes_percentage);
  v.Required("minCandidateNodesAbsolute", t.min_candidate_nodes_absolute);
}

void Fields(auto& v, Like<framework::DynamicResourcesArgs> auto& t) {
  v("filterTimeout", t.filter_timeout);
  v("bindingTimeout", t.binding_timeout);
}

void Fields(auto& v, Like<framework::GangSchedulingArgs> auto& t) {
  v("search", t.search);
  v("searchBudget", t.search_budget);
  v("topologyLevels", t.topology_levels);
}

void Fields(auto& v, Like<framework::InterPodAffinityArgs> auto& t) {
  v.Required("hardPodAffinityWeight", t.hard_pod_affinity_weight);
  v.Required("ignorePreferredTermsOfExistingPods", t.ignore_preferred_terms_of_existing_pods);
}

void Fields(auto& v, Like<framework::NodeAffinityArgs> auto& t) {
  v("addedAffinity", t.added_affinity);
}

void Fields(auto& v, Like<framework::ResourceWeight> auto& t) {
  v.Required("name", t.name);
  v("weight", t.weight);
}

void Fields(auto& v, Like<framework::NodeResourcesBalancedAllocationArgs> auto& t) {
  v("resources", t.resources);
}

void Fields(auto& v, Like<framework::ShapePoint> auto& t) {
  v.Required("utilization", t.utilization);
  v.Required("score", t.score);
}

// Only an absent strategy defaults to LeastAllocated: one without a type is an error.
inline void StartReading(framework::NodeResourcesFitArgs::ScoringStrategy& t) {
  t.type.clear();
  t.resources.clear();
}

void Fields(auto& v, Like<framework::NodeResourcesFitArgs::ScoringStrategy> auto& t) {
  v("type", t.type);
  v("resources", t.resources);
  v.Within("requestedToCapacityRatio", "shape", t.shape);
}

void Fields(auto& v, Like<framework::NodeResourcesFitArgs> auto& t) {
  v("ignoredResources", t.ignored_resources);
  v("ignoredResourceGroups", t.ignored_resource_groups);
  v.Required("scoringStrategy", t.scoring_strategy);
}

void Fields(auto& v, Like<framework::PodTopologySpreadArgs> auto& t) {
  v("defaultConstraints", t.default_constraints);
  v("defaultingType", t.defaulting_type);
}

void Fields(auto& v, Like<framework::VolumeBindingArgs> auto& t) {
  v.Required("bindTimeoutSeconds", t.bind_timeout_seconds);
  v("shape", t.shape);
}

void Fields(auto& v, Like<LeaderElection> auto& t) {
  v.Required("leaderElect", t.leader_elect);
  v.Required("leaseDuration", t.lease_duration);
  v.Required("renewDeadline", t.renew_deadline);
  v.Required("retryPeriod", t.retry_period);
  v.Required("resourceLock", t.resource_lock);
  v.Required("resourceName", t.resource_name);
  v.Required("resourceNamespace", t.resource_namespace);
}

void Fields(auto& v, Like<ClientConnection> auto& t) {
  v.Required("kubeconfig", t.kubeconfig);
  v.Required("acceptContentTypes", t.accept_content_types);
  v.Required("contentType", t.content_type);
  v.Required("qps", t.qps);
  v.Required("burst", t.burst);
}

void Fields(auto& v, Like<framework::PluginChoice> auto& t) {
  v.Required("name", t.name);
  v.Required("weight", t.weight);
}

void Fields(auto& v, Like<framework::PluginSet> auto& t) {
  v("enabled", t.enabled);
  v.PluginNames("disabled", t.disabled);
}

void Fields(auto& v, Like<PluginConfig> auto& t) {
  v.Required("name", t.name);
  v.Required("args", t.args);
}

// In the order of ExtensionPoint.
inline constexpr std::array<std::string_view, framework::kExtensionPoints> kPointNames = {
    "preEnqueue", "queueSort", "preFilter",         "filter",        "postFilter",
    "preScore",   "score",     "reserve",           "permit",        "preBind",
    "bind",       "postBind",  "placementGenerate", "placementScore"};

void Fields(auto& v, Like<SchedulerProfile> auto& t) {
  v.Required("schedulerName", t.scheduler_name);
  v("percentageOfNodesToScore", t.percentage_of_nodes_to_score);
  v.Group("plugins", [&](auto& plugins) {
    constexpr auto kFirstOfGroups =
        static_cast<size_t>(framework::ExtensionPoint::kPlacementGenerate);
    for (size_t i = 0; i < framework::kExtensionPoints; ++i) {
      if (i == kFirstOfGroups) plugins.Required("multiPoint", t.multi_point);
      plugins.Required(kPointNames[i], t.points[i]);
    }
  });
  v("pluginConfig", t.plugin_config);
}

void Fields(auto& v, Like<framework::ExtenderTls> auto& t) {
  v("insecure", t.insecure);
  v("serverName", t.server_name);
  v("certFile", t.cert_file);
  v("keyFile", t.key_file);
  v("caFile", t.ca_file);
  v("certData", t.cert_data);
  v("keyData", t.key_data);
  v("caData", t.ca_data);
}

void Fields(auto& v, Like<framework::ManagedResource> auto& t) {
  v.Required("name", t.name);
  v("ignoredByScheduler", t.ignored_by_scheduler);
}

void Fields(auto& v, Like<framework::ExtenderConfig> auto& t) {
  v.Required("urlPrefix", t.url_prefix);
  v("filterVerb", t.filter_verb);
  v("preemptVerb", t.preempt_verb);
  v("prioritizeVerb", t.prioritize_verb);
  v("weight", t.weight);
  v("bindVerb", t.bind_verb);
  v("enableHTTPS", t.enable_https);
  v("tlsConfig", t.tls);
  v.Required("httpTimeout", t.http_timeout);
  v("nodeCacheCapable", t.node_cache_capable);
  v("managedResources", t.managed_resources);
  v("ignorable", t.ignorable);
}

void Fields(auto& v, Like<Configuration> auto& t) {
  v.Required("parallelism", t.parallelism);
  v.Required("leaderElection", t.leader_election);
  v.Required("clientConnection", t.client_connection);
  v.Required("enableProfiling", t.enable_profiling);
  v.Required("enableContentionProfiling", t.enable_contention_profiling);
  v("percentageOfNodesToScore", t.percentage_of_nodes_to_score);
  v.Required("podInitialBackoffSeconds", t.pod_initial_backoff_seconds);
  v.Required("podMaxBackoffSeconds", t.pod_max_backoff_seconds);
  v("profiles", t.profiles);
  v("extenders", t.extenders);
  v("delayCacheUntilActive", t.delay_cache_until_active);
}

}  // namespace berth::scheduler::config
