// The nodes that `berth up --nodes` makes.
#pragma once

#include <cstddef>

#include "apiserver/api.h"
#include "base/result.h"

namespace berth {

// Makes `count` nodes, "node-0001" and so on: in three zones, one after the other, and of three
// sizes. Those that are there already stay as they are.
Status MakeNodes(apiserver::Api& api, size_t count);

}  // namespace berth
