#include "scheduler/config/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/field_errors.h"
#include "api/json/writer.h"
#include "api/selector.h"
#include "scheduler/config/configuration_fields.h"
#include "scheduler/config/field_codec.h"
#include "scheduler/plugins/gang_scheduling.h"

namespace berth::scheduler::config {
namespace {

void WarnAboutGangs(const framework::PluginSet& set, const api::FieldPath& path,
                    std::vector<std::string>& warnings) {
  for (size_t i = 0; i < set.enabled.size(); ++i) {
    if (set.enabled[i].name != plugins::GangScheduling::kName) continue;
    warnings.push_back(
        fmt::format("{}: {} has no effect: the feature gate GangScheduling (alpha) is off, so "
                    "pods are placed one by one and no gangs are formed",
                    (path / "enabled")[i].text, plugins::GangScheduling::kName));
  }
}

}  // namespace

std::vector<std::string> Warnings(const Configuration& configuration) {
  std::vector<std::string> warnings;
  if (configuration.features.generic_workload) return warnings;
  for (size_t i = 0; i < configuration.profiles.size(); ++i) {
    const SchedulerProfile& profile = configuration.profiles[i];
    const api::FieldPath path = api::FieldPath{"profiles"}[i] / "plugins";
    WarnAboutGangs(profile.written_multi_point.value_or(profile.multi_point), path / "multiPoint",
                   warnings);
    for (size_t j = 0; j < framework::kExtensionPoints; ++j) {
      WarnAboutGangs(profile.points[j], path / kPointNames[j], warnings);
    }
  }
  return warnings;
}

namespace {

constexpr std::array<std::string_view, 4> kRemovedPlugins = {"AzureDiskLimits", "CinderLimits",
                                                             "EBSLimits", "GCEPDLimits"};

bool CheckNotRemoved(const std::string& plugin, const api::FieldPath& path,
                     api::FieldErrors& errors) {
  if (std::ranges::find(kRemovedPlugins, plugin) == kRemovedPlugins.end()) return true;
  errors.Invalid(path, plugin,
                 fmt::format("was invalid in version \"v1\" (KubeSchedulerConfiguration is version "
                             "\"{}\")",
                             kApiVersion));
  return false;
}

void ValidateLeaderElection(const LeaderElection& election, const api::FieldPath& path,
                            api::FieldErrors& errors) {
  if (!election.leader_elect) return;
  const auto check_positive = [&](std::string_view name, Duration duration) {
    if (duration <= Duration{}) errors.Invalid(path / name, duration, "must be greater than zero");
  };
  check_positive("leaseDuration", election.lease_duration);
  check_positive("renewDeadline", election.renew_deadline);
  check_positive("retryPeriod", election.retry_period);
  if (election.lease_duration <= election.renew_deadline) {
    // The value shown is the other one, as in kube-scheduler.
    errors.Invalid(path / "leaseDuration", election.renew_deadline,
                   "must be greater than `RenewDeadline`");
  }
  const auto check_present = [&](std::string_view name, const std::string& value) {
    if (value.empty()) errors.Required(path / name, std::string(name) + " is required");
  };
  check_present("resourceLock", election.resource_lock);
  check_present("resourceNamespace", election.resource_namespace);
  check_present("resourceName", election.resource_name);
  if (election.resource_lock != "leases") {
    errors.Invalid(path / "resourceLock", election.resource_lock,
                   "resourceLock value must be \"leases\"");
  }
}

void ValidatePercentage(std::optional<int32_t> percentage, const api::FieldPath& path,
                        api::FieldErrors& errors) {
  if (percentage && (*percentage < 0 || *percentage > 100)) {
    errors.Invalid(path, *percentage, "not in valid range [0-100]");
  }
}

// kube-scheduler looks for the arguments of NodeResourcesFit under this name, the name of their
// kind. Arguments that do have it are those of an unknown plugin and never match.
constexpr std::string_view kMisnamedFitPlugin = "NodeResourcesFitArgs";

void ValidatePluginConfig(const PluginConfig& config, const api::FieldPath& path,
                          const model::Features& features, api::FieldErrors& errors) {
  if (!CheckNotRemoved(config.name, path, errors)) return;
  bool fits = config.name != kMisnamedFitPlugin;
  WithArgsKind(config.name, [&]<typename Args>(std::type_identity<Args>) {
    fits = std::any_cast<Args>(&config.args) != nullptr;
  });
  if (fits) return ValidateArgs(config.args, path / "args", features, errors);
  errors.InvalidText(path / "args", api::ToJsonText(ArgsToJson(config.args)),
                     "has to match plugin args");
}

void ValidateProfile(const SchedulerProfile& profile, const api::FieldPath& path,
                     const model::Features& features, api::FieldErrors& errors) {
  if (profile.scheduler_name.value_or("").empty()) errors.Required(path / "schedulerName");
  ValidatePercentage(profile.percentage_of_nodes_to_score, path / "percentageOfNodesToScore",
                     errors);
  for (size_t i = 0; i < framework::kExtensionPoints; ++i) {
    const std::vector<framework::PluginChoice>& enabled = profile.points[i].enabled;
    const api::FieldPath enabled_path = path / "plugins" / kPointNames[i] / "enabled";
    for (size_t j = 0; j < enabled.size(); ++j) {
      CheckNotRemoved(enabled[j].name, enabled_path[j], errors);
    }
  }
  std::set<std::string_view> configured;
  for (size_t i = 0; i < profile.plugin_config.size(); ++i) {
    const PluginConfig& config = profile.plugin_config[i];
    const api::FieldPath config_path = (path / "pluginConfig")[i];
    if (!configured.insert(config.name).second) errors.Duplicate(config_path, config.name);
    ValidatePluginConfig(config, config_path, features, errors);
  }
}

// Formats as Go does, with the names of struct fields.
std::string ShowPluginSet(const framework::PluginSet& set) {
  const auto show = [](const auto& list, auto describe) {
    std::string text;
    for (const auto& entry : list) {
      if (!text.empty()) text += ',';
      text += describe(entry);
    }
    return text.empty() ? "null" : "[" + text + "]";
  };
  const auto plugin = [](std::string_view name, int32_t weight) {
    return fmt::format(R"({{"Name":{},"Weight":{}}})", api::Show(name), weight);
  };
  return fmt::format(
      R"({{"Enabled":{},"Disabled":{}}})",
      show(set.enabled, [&](const framework::PluginChoice& p) { return plugin(p.name, p.weight); }),
      show(set.disabled, [&](const std::string& name) { return plugin(name, 0); }));
}

// Returns the last arguments of `plugin` as text.
std::string ArgsText(const SchedulerProfile& profile, const std::string& plugin) {
  std::string text;
  for (const PluginConfig& config : profile.plugin_config) {
    if (config.name == plugin) text = api::ToJsonText(ArgsToJson(config.args));
  }
  return text;
}

// All profiles share one queue, so they must use the same order.
void ValidateQueueSort(const std::vector<SchedulerProfile>& profiles, const api::FieldPath& path,
                       api::FieldErrors& errors) {
  constexpr auto kQueueSort = static_cast<size_t>(framework::ExtensionPoint::kQueueSort);
  const framework::PluginSet& first = profiles[0].points[kQueueSort];
  if (first.enabled.size() > 1) {
    errors.Invalid(path[0] / "plugins" / "queueSort" / "Enabled",
                   static_cast<int64_t>(first.enabled.size()),
                   "only one queue sort plugin can be enabled");
  }
  for (size_t i = 1; i < profiles.size(); ++i) {
    const framework::PluginSet& other = profiles[i].points[kQueueSort];
    if (other != first) {
      errors.InvalidText(path[i] / "plugins" / "queueSort", ShowPluginSet(other),
                         "must be the same for all profiles");
    }
    if (first.enabled.empty()) continue;
    const std::string& plugin = first.enabled[0].name;
    const std::string args = ArgsText(profiles[i], plugin);
    if (!args.empty() && args != ArgsText(profiles[0], plugin)) {
      errors.InvalidText(path[i] / "pluginConfig" / "args", args,
                         "queueSort must be the same for all profiles");
    }
  }
}

void ValidateProfiles(const std::vector<SchedulerProfile>& profiles,
                      const model::Features& features, api::FieldErrors& errors) {
  const api::FieldPath path{"profiles"};
  if (profiles.empty()) return errors.Required(path);
  std::set<std::string> names;
  for (size_t i = 0; i < profiles.size(); ++i) {
    ValidateProfile(profiles[i], path[i], features, errors);
    if (!names.insert(profiles[i].scheduler_name.value_or("")).second) {
      // kube-scheduler intends to print the other profile's path, but prints "{}".
      errors.DuplicateText(path[i] / "schedulerName", "{}");
    }
  }
  ValidateQueueSort(profiles, path, errors);
}

bool IsExtendedResource(const std::string& name) {
  if (!name.contains('/') || name.contains("kubernetes.io/") || name.starts_with("requests.")) {
    return false;
  }
  // It must also be valid in a quota.
  return !api::ValidateQualifiedName("requests." + name);
}

void ValidateExtenders(const std::vector<framework::ExtenderConfig>& extenders,
                       api::FieldErrors& errors) {
  const api::FieldPath path{"extenders"};
  size_t binders = 0;
  std::set<std::string_view> managed;
  for (size_t i = 0; i < extenders.size(); ++i) {
    const framework::ExtenderConfig& extender = extenders[i];
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      errors.Invalid(path[i] / "weight", extender.weight,
                     "must have a positive weight applied to it");
    }
    if (!extender.bind_verb.empty()) ++binders;
    for (size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const std::string& name = extender.managed_resources[j].name;
      const api::FieldPath name_path = (path[i] / "managedResources")[j] / "name";
      ValidateQualifiedName(name, name_path, errors);
      if (!api::ValidateQualifiedName(name) && !IsExtendedResource(name)) {
        errors.Invalid(name_path, name, "is an invalid extended resource name");
      }
      if (!managed.insert(name).second) {
        errors.Invalid(name_path, name, "duplicate extender managed resource name");
      }
    }
  }
  if (binders > 1) {
    errors.Invalid(path, fmt::format("found {} extenders implementing bind", binders),
                   "only one extender can implement bind");
  }
}

}  // namespace

void ValidateQualifiedName(const std::string& name, const api::FieldPath& path,
                           api::FieldErrors& errors) {
  const auto problems = api::ValidateQualifiedName(name);
  if (!problems) return;
  constexpr std::string_view kSeparator = "; ";
  for (std::string_view rest = *problems; !rest.empty();) {
    const size_t end = std::min(rest.find(kSeparator), rest.size());
    errors.Invalid(path, name, rest.substr(0, end));
    rest.remove_prefix(std::min(end + kSeparator.size(), rest.size()));
  }
}

std::vector<std::string> Validate(const Configuration& configuration) {
  api::FieldErrors errors;
  const ClientConnection& connection = configuration.client_connection;
  if (connection.burst < 0) {
    errors.Invalid(api::FieldPath{"clientConnection.burst"}, connection.burst,
                   "must be non-negative");
  }
  ValidateLeaderElection(configuration.leader_election, api::FieldPath{"leaderElection"}, errors);
  if (configuration.parallelism <= 0) {
    errors.Invalid(api::FieldPath{"parallelism"}, configuration.parallelism,
                   "should be an integer value greater than zero");
  }
  ValidateProfiles(configuration.profiles, configuration.features, errors);
  ValidatePercentage(configuration.percentage_of_nodes_to_score,
                     api::FieldPath{"percentageOfNodesToScore"}, errors);
  if (configuration.pod_initial_backoff_seconds <= 0) {
    errors.Invalid(api::FieldPath{"podInitialBackoffSeconds"},
                   configuration.pod_initial_backoff_seconds, "must be greater than 0");
  }
  if (configuration.pod_max_backoff_seconds < configuration.pod_initial_backoff_seconds) {
    errors.Invalid(api::FieldPath{"podMaxBackoffSeconds"}, configuration.pod_max_backoff_seconds,
                   "must be greater than or equal to PodInitialBackoffSeconds");
  }
  ValidateExtenders(configuration.extenders, errors);
  return errors.TakeTexts();
}

}  // namespace berth::scheduler::config
