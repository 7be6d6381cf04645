// Writes down all that a Cluster knows, in a text that does not depend on the ids, rows and symbols
// it happens to use: two clusters that know the same give the same text.
#pragma once

#include <string>

#include "scheduler/model/cluster.h"

namespace berth {

// One fact per line, sorted. What is in no particular order in the cluster is sorted.
std::string Dump(const scheduler::model::Cluster& cluster);

// The part about one node: its columns, what runs on it and what it holds.
std::string DumpNode(const scheduler::model::Cluster& cluster, scheduler::model::NodeRow row);

}  // namespace berth
