// The list of all kubelets and controllers.
#pragma once

#include <memory>
#include <vector>

#include "world/controller.h"

namespace berth::world {

// Those that the options ask for. `context` must outlive them.
std::vector<std::unique_ptr<Controller>> MakeControllers(Context& context);

}  // namespace berth::world
