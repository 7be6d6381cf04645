// The ids of the cluster model. Each indexes one table of the model and means nothing outside it.
#pragma once

#include "base/bitset.h"
#include "base/id.h"
#include "base/symbol_table.h"

namespace berth::scheduler::model {

using NodeRow = Id<struct NodeRowTag>;
using PodId = Id<struct PodTag>;
using PodClassId = Id<struct PodClassTag>;
using LabelSetId = Id<struct LabelSetTag>;
using TaintSetId = Id<struct TaintSetTag>;
using ImageId = Id<struct ImageTag>;
using ScalarId = Id<struct ScalarTag>;  // An extended or other countable resource.
using DomainId = Id<struct DomainTag>;  // One value of one topology key.

// A set of nodes: one bit per row of the node table.
using NodeMask = Bitset;

}  // namespace berth::scheduler::model
