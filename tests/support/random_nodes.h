// Nodes and the objects that go with them, at random.
#pragma once

#include "api/node.h"
#include "api/storage.h"
#include "base/random.h"

namespace berth::generate {

api::Node RandomNode(Random& random, const std::string& name);

// Changes something about the node that rules look at.
void Disturb(Random& random, api::Node& node);

api::CsiNode RandomCsiNode(Random& random, const std::string& node);

}  // namespace berth::generate
