// What a model counts, as text: a trial of a group that is taken back leaves it as it was.
#pragma once

#include <string>

namespace berth::scheduler::model {
class Cluster;
}

namespace berth::scheduler::groups {

// Returns what the model counts: the sums and the pods of every node, and the members of groups.
std::string DescribeCounts(const model::Cluster& cluster);

}  // namespace berth::scheduler::groups
