// Loads a KubeSchedulerConfiguration through every stage that can reject it (decoding, validation,
// building extenders and profiles).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/config/configuration.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/features.h"

namespace berth::cmd {

struct CheckedConfiguration {
  std::string stage;  // The stage that failed: decode, validate or build; empty if none.
  std::vector<std::string> errors;  // All errors of that stage, with field paths.

  std::optional<scheduler::config::Configuration> completed;  // Set once decoded.
  // Set if ok().
  std::vector<scheduler::framework::ProfileConfig> profile_configs;
  std::vector<std::unique_ptr<scheduler::framework::Profile>> profiles;

  bool ok() const { return stage.empty(); }
};

// Also reads the TLS files that the extenders name.
CheckedConfiguration CheckConfiguration(std::string_view text,
                                        const scheduler::framework::Registry& registry,
                                        const scheduler::model::Features& features = {});

// Loads the `file` of --config, or the default configuration if it is empty. The error lists all
// problems, one per line, each prefixed with the file name.
Result<CheckedConfiguration> LoadConfiguration(const std::string& file,
                                               const scheduler::framework::Registry& registry,
                                               const scheduler::model::Features& features = {});

}  // namespace berth::cmd
