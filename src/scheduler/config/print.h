// Prints a complete configuration in its v1 form, which can be loaded again.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "api/json/json.h"
#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

api::Json ToJson(const Configuration& configuration);

std::string ToJsonText(const Configuration& configuration);

std::string ToYaml(const Configuration& configuration);

}  // namespace berth::scheduler::config
