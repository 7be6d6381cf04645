#include "scheduler/plugins/node_name.h"

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::plugins {

framework::Verdict NodeName::Filter(const framework::Cycle& cycle, model::NodeMask& nodes) const {
  const std::string& wanted = cycle.pod_class().node_name;
  if (wanted.empty()) return {};
  nodes.KeepIf([&](size_t row) {
    return cycle.nodes().name(model::NodeRow{static_cast<uint32_t>(row)}) == wanted;
  });
  return {};
}

framework::Described NodeName::DescribeFilter(const framework::Cycle& cycle,
                                              framework::SearchRules&) const {
  // Such a pod names one node: there is nothing to search for.
  return cycle.pod_class().node_name.empty() ? framework::Described::kYes
                                             : framework::Described::kNo;
}

framework::Verdict NodeName::Explain(const framework::Cycle& cycle, model::NodeRow node) const {
  const std::string& wanted = cycle.pod_class().node_name;
  if (wanted.empty() || cycle.nodes().name(node) == wanted) return {};
  return {framework::Code::kUnschedulableAndUnresolvable,
          "node(s) didn't match the requested node name"};
}

std::vector<framework::ClusterEventWithHint> NodeName::EventsToRegister() const {
  return {{{framework::Resource::kNode, framework::kAdd}, /*conditional=*/false}};
}

}  // namespace berth::scheduler::plugins
