// The sentence that tells why no node will do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/verdict.h"

namespace berth::twin {

// "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu." Nodes without a
// verdict of their own have the reasons `others`.
std::string FitErrorOf(size_t all_nodes, const std::map<std::string, Verdict>& verdicts,
                       const std::vector<std::string>& others);

// The same if PreFilter has said no already.
std::string FitErrorOf(size_t all_nodes, const std::string& pre_filter_message);

}  // namespace berth::twin
