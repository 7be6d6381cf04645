// Decodes a KubeSchedulerConfiguration strictly: unknown and duplicate fields are errors, also
// inside the arguments of plugins.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

// Decodes the first document of `text`, YAML or JSON, and applies the defaults. The error lists all
// problems.
std::expected<Configuration, std::vector<std::string>> Decode(std::string_view text,
                                                              const model::Features& features = {});

}  // namespace berth::scheduler::config
