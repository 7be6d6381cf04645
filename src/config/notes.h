// What a user should know about a valid configuration: things it asks for that have no effect.
#pragma once

#include <string>
#include <vector>

#include "config/configuration.h"

namespace berth::config {

// One sentence each, with the path of the field. `configuration` must be complete and valid.
std::vector<std::string> Notes(const Configuration& configuration);

}  // namespace berth::config
