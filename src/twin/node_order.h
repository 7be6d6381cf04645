// NodeOrder lists the nodes of a world as a scheduler does that has just read them: the zones take
// turns, in the order of their first nodes; within a zone nodes go by name.
#pragma once

#include <string>
#include <vector>

#include "twin/world.h"

namespace berth::twin {

std::vector<std::string> NodeOrder(const World& world);

}  // namespace berth::twin
