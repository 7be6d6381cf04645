#include "config/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/selector.h"
#include "config/field_writer.h"
#include "config/fields.h"

namespace berth::config {
namespace {

constexpr std::array<std::string_view, 4> kRemovedPlugins = {"AzureDiskLimits", "CinderLimits",
                                                             "EBSLimits", "GCEPDLimits"};

bool CheckNotRemoved(const std::string& plugin, const FieldPath& path, FieldErrors& errors) {
  if (std::ranges::find(kRemovedPlugins, plugin) == kRemovedPlugins.end()) return true;
  errors.Invalid(path, plugin,
                 fmt::format("was invalid in version \"v1\" (KubeSchedulerConfiguration is version "
                             "\"{}\")",
                             kApiVersion));
  return false;
}

void ValidateLeaderElection(const LeaderElection& election, const FieldPath& path,
                            FieldErrors& errors) {
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

void ValidatePercentage(std::optional<int32_t> percentage, const FieldPath& path,
                        FieldErrors& errors) {
  if (percentage && (*percentage < 0 || *percentage > 100)) {
    errors.Invalid(path, *percentage, "not in valid range [0-100]");
  }
}

void ValidatePluginConfig(const PluginConfig& config, const FieldPath& path, FieldErrors& errors) {
  if (!CheckNotRemoved(config.name, path, errors)) return;
  bool fits = true;
  WithArgsKind(config.name, [&]<typename Args>(std::type_identity<Args>) {
    fits = std::any_cast<Args>(&config.args) != nullptr;
  });
  if (fits) return ValidateArgs(config.args, path / "args", errors);
  errors.InvalidText(path / "args", ToJsonText(ArgsToJson(config.args)),
                     "has to match plugin args");
}

void ValidateProfile(const SchedulerProfile& profile, const FieldPath& path, FieldErrors& errors) {
  if (profile.scheduler_name.value_or("").empty()) errors.Required(path / "schedulerName");
  ValidatePercentage(profile.percentage_of_nodes_to_score, path / "percentageOfNodesToScore",
                     errors);
  for (size_t i = 0; i < kExtensionPoints; ++i) {
    const std::vector<PluginChoice>& enabled = profile.points[i].enabled;
    const FieldPath enabled_path = path / "plugins" / kPointNames[i] / "enabled";
    for (size_t j = 0; j < enabled.size(); ++j) {
      CheckNotRemoved(enabled[j].name, enabled_path[j], errors);
    }
  }
  std::set<std::string_view> configured;
  for (size_t i = 0; i < profile.plugin_config.size(); ++i) {
    const PluginConfig& config = profile.plugin_config[i];
    const FieldPath config_path = (path / "pluginConfig")[i];
    if (!configured.insert(config.name).second) errors.Duplicate(config_path, Show(config.name));
    ValidatePluginConfig(config, config_path, errors);
  }
}

// As Go prints it: with the names of fields in the source.
std::string ShowPluginSet(const PluginSet& set) {
  const auto show = [](const auto& list, auto describe) {
    std::string text;
    for (const auto& entry : list) {
      if (!text.empty()) text += ',';
      text += describe(entry);
    }
    return text.empty() ? "null" : "[" + text + "]";
  };
  const auto plugin = [](std::string_view name, int32_t weight) {
    return fmt::format(R"({{"Name":{},"Weight":{}}})", Show(name), weight);
  };
  return fmt::format(
      R"({{"Enabled":{},"Disabled":{}}})",
      show(set.enabled, [&](const PluginChoice& p) { return plugin(p.name, p.weight); }),
      show(set.disabled, [&](const std::string& name) { return plugin(name, 0); }));
}

// The arguments given for `plugin`, as text; those given last count.
std::string ArgsText(const SchedulerProfile& profile, const std::string& plugin) {
  std::string text;
  for (const PluginConfig& config : profile.plugin_config) {
    if (config.name == plugin) text = ToJsonText(ArgsToJson(config.args));
  }
  return text;
}

// All profiles share one queue, so they must sort it alike.
void ValidateQueueSort(const std::vector<SchedulerProfile>& profiles, const FieldPath& path,
                       FieldErrors& errors) {
  constexpr auto kQueueSort = static_cast<size_t>(ExtensionPoint::kQueueSort);
  const PluginSet& first = profiles[0].points[kQueueSort];
  if (first.enabled.size() > 1) {
    errors.Invalid(path[0] / "plugins" / "queueSort" / "Enabled",
                   static_cast<int64_t>(first.enabled.size()),
                   "only one queue sort plugin can be enabled");
  }
  for (size_t i = 1; i < profiles.size(); ++i) {
    const PluginSet& other = profiles[i].points[kQueueSort];
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

void ValidateProfiles(const std::vector<SchedulerProfile>& profiles, FieldErrors& errors) {
  const FieldPath path{"profiles"};
  if (profiles.empty()) return errors.Required(path);
  std::set<std::string> names;
  for (size_t i = 0; i < profiles.size(); ++i) {
    ValidateProfile(profiles[i], path[i], errors);
    if (!names.insert(profiles[i].scheduler_name.value_or("")).second) {
      // kube-scheduler means to show the path of the other profile, which prints as nothing.
      errors.Duplicate(path[i] / "schedulerName", "{}");
    }
  }
  ValidateQueueSort(profiles, path, errors);
}

bool IsExtendedResource(const std::string& name) {
  if (!name.contains('/') || name.contains("kubernetes.io/") || name.starts_with("requests.")) {
    return false;
  }
  // It must be usable in a quota too.
  return !api::ValidateQualifiedName("requests." + name);
}

void ValidateExtenders(const std::vector<ExtenderConfig>& extenders, FieldErrors& errors) {
  const FieldPath path{"extenders"};
  size_t binders = 0;
  std::set<std::string_view> managed;
  for (size_t i = 0; i < extenders.size(); ++i) {
    const ExtenderConfig& extender = extenders[i];
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      errors.Invalid(path[i] / "weight", extender.weight,
                     "must have a positive weight applied to it");
    }
    if (!extender.bind_verb.empty()) ++binders;
    for (size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const std::string& name = extender.managed_resources[j].name;
      const FieldPath name_path = (path[i] / "managedResources")[j] / "name";
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

void ValidateQualifiedName(const std::string& name, const FieldPath& path, FieldErrors& errors) {
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
  FieldErrors errors;
  const ClientConnection& connection = configuration.client_connection;
  if (connection.burst < 0) {
    errors.Invalid(FieldPath{"clientConnection.burst"}, connection.burst, "must be non-negative");
  }
  ValidateLeaderElection(configuration.leader_election, FieldPath{"leaderElection"}, errors);
  if (configuration.parallelism <= 0) {
    errors.Invalid(FieldPath{"parallelism"}, configuration.parallelism,
                   "should be an integer value greater than zero");
  }
  ValidateProfiles(configuration.profiles, errors);
  ValidatePercentage(configuration.percentage_of_nodes_to_score,
                     FieldPath{"percentageOfNodesToScore"}, errors);
  if (configuration.pod_initial_backoff_seconds <= 0) {
    errors.Invalid(FieldPath{"podInitialBackoffSeconds"}, configuration.pod_initial_backoff_seconds,
                   "must be greater than 0");
  }
  if (configuration.pod_max_backoff_seconds < configuration.pod_initial_backoff_seconds) {
    errors.Invalid(FieldPath{"podMaxBackoffSeconds"}, configuration.pod_max_backoff_seconds,
                   "must be greater than or equal to PodInitialBackoffSeconds");
  }
  ValidateExtenders(configuration.extenders, errors);
  return std::move(errors).Take();
}

}  // namespace berth::config
