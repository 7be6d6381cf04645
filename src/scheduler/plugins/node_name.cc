#include "scheduler/plugins/node_name.h"

#include "scheduler/framework/cycle.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::plugins {

framework::Conditions NodeName::Require(const framework::Cycle& cycle) const {
  if (cycle.pod_class().node_name.empty()) return {};
  // Such a pod names one node: there is nothing to search for.
  return {framework::Opaque{.filter = this, .one_verdict = true, .evaluates_all = true}};
}

framework::Verdict NodeName::FilterNode(const framework::Cycle& cycle, model::NodeRow node) const {
  if (cycle.nodes().name(node) == cycle.pod_class().node_name) return {};
  return {framework::Code::kUnschedulableAndUnresolvable,
          "node(s) didn't match the requested node name"};
}

std::vector<framework::ClusterEventWithHint> NodeName::EventsToRegister() const {
  return {{{framework::Resource::kNode, framework::kAdd}, /*conditional=*/false}};
}

}  // namespace berth::scheduler::plugins
