#include "plugins/node_name.h"

#include "framework/cycle.h"

namespace berth {

Verdict NodeName::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const std::string& wanted = cycle.pod_class().node_name;
  if (wanted.empty()) return {};
  nodes.KeepIf([&](size_t row) {
    return cycle.nodes().name(NodeRow{static_cast<uint32_t>(row)}) == wanted;
  });
  return {};
}

Verdict NodeName::Explain(const Cycle& cycle, NodeRow node) const {
  const std::string& wanted = cycle.pod_class().node_name;
  if (wanted.empty() || cycle.nodes().name(node) == wanted) return {};
  return {Code::kUnschedulableAndUnresolvable, "node(s) didn't match the requested node name"};
}

std::vector<Interest> NodeName::Interests() const {
  return {{{Resource::kNode, kAdd}, /*conditional=*/false}};
}

}  // namespace berth
