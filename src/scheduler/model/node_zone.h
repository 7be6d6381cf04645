// The labels that name a node's zone and region; the older ones take precedence.
#pragma once

#include <string_view>

#include "api/meta.h"

namespace berth::scheduler::model {

struct NodeZone {
  std::string_view region, zone;  // Empty if the node has none.

  friend bool operator==(const NodeZone&, const NodeZone&) = default;
};

// The labels must outlive the result.
NodeZone ZoneOf(const api::StringMap& labels);

}  // namespace berth::scheduler::model
