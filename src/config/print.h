// Prints a configuration in its v1 form, complete: what it prints can be loaded again.
#pragma once

#include <string>

#include "config/configuration.h"
#include "config/json_value.h"

namespace berth::config {

JsonValue ToJson(const Configuration& configuration);

std::string ToJsonText(const Configuration& configuration);

std::string ToYaml(const Configuration& configuration);

}  // namespace berth::config
