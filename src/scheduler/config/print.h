// Prints a complete configuration in its v1 form, which can be loaded again.
#pragma once

#include <string>

#include "api/json/json_value.h"
#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

api::JsonValue ToJson(const Configuration& configuration);

std::string ToJsonText(const Configuration& configuration);

std::string ToYaml(const Configuration& configuration);

}  // namespace berth::scheduler::config
