// Reads a KubeSchedulerConfiguration strictly: a field that it does not have, or that is given
// twice, is an error, and so it is inside the arguments of plugins.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

// Reads the first document of `text`, YAML or JSON, and fills in the defaults. The error is a list
// of everything that is wrong with it.
std::expected<Configuration, std::vector<std::string>> Decode(std::string_view text);

}  // namespace berth::scheduler::config
