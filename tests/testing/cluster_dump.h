// Dumps of a Cluster as text that does not depend on its ids, rows and symbols: clusters with equal
// state have equal dumps.
#pragma once

#include <string>

#include "scheduler/model/cluster.h"

namespace berth {

// Returns one fact per line, sorted; unordered lists within a line are sorted, too.
std::string Dump(const scheduler::model::Cluster& cluster);

// Returns the part for one node: its columns, pods and resources.
std::string DumpNode(const scheduler::model::Cluster& cluster, scheduler::model::NodeRow row);

}  // namespace berth
