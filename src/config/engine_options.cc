#include "config/engine_options.h"

#include "config/profiles.h"

namespace berth::config {

Result<EngineOptions> ToEngineOptions(const Configuration& configuration) {
  auto profiles = ToProfileConfigs(configuration);
  if (!profiles) return std::unexpected(profiles.error());
  EngineOptions options;
  options.profiles = *std::move(profiles);
  options.backoff = {Duration::Seconds(configuration.pod_initial_backoff_seconds),
                     Duration::Seconds(configuration.pod_max_backoff_seconds)};
  options.extenders = configuration.extenders;
  return options;
}

}  // namespace berth::config
