// The names of single actions, as kube-scheduler writes them.
#pragma once

#include <string_view>

#include "framework/cluster_event.h"

namespace berth {

// "UpdateNodeTaint"; empty if `action` is not exactly one action.
std::string_view NameOf(Actions action);
// The action of that name; 0 if there is none.
Actions ActionNamed(std::string_view name);

}  // namespace berth
