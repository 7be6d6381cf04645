// Takes a KubeSchedulerConfiguration through all stages at which it can be refused: decoding,
// validation, and the building of its extenders and profiles.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/config/configuration.h"
#include "scheduler/framework/profile.h"

namespace berth::cmd {

struct CheckedConfiguration {
  std::string stage;                // That failed: decode, validate, build; empty if all is well.
  std::vector<std::string> errors;  // All of that stage, with the paths of the fields.

  std::optional<scheduler::config::Configuration> completed;  // If it was decoded.
  // If all is well.
  std::vector<scheduler::framework::ProfileConfig> profile_configs;
  std::vector<std::unique_ptr<scheduler::framework::Profile>> profiles;

  bool ok() const { return stage.empty(); }
};

// Reads the files that the configuration names.
CheckedConfiguration CheckConfiguration(std::string_view text,
                                        const scheduler::framework::Registry& registry);

// The configuration in `file`, or the default one if there is no file. The error lists every
// problem, one per line, each with the name of the file.
Result<CheckedConfiguration> LoadConfiguration(const std::string& file,
                                               const scheduler::framework::Registry& registry);

// `berth config`: checks and shows KubeSchedulerConfiguration files.
// `berth config validate`. Returns the exit code of the program.
int RunConfigValidate(const std::string& file, const scheduler::framework::Registry& registry);

// `berth config show`: the default configuration if `file` is empty. Returns the exit code.
int RunConfigShow(const std::string& file, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
