// The in-tree plugins, by name.
#pragma once

#include "framework/registry.h"

namespace berth {

// A registry of all in-tree plugins; embedders add their own to it.
Registry InTreeRegistry();

}  // namespace berth
