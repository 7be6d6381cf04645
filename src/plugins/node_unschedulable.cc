#include "plugins/node_unschedulable.h"

#include "api/selector.h"
#include "framework/cycle.h"

namespace berth {
namespace {

struct Tolerance final : ClassState {
  bool tolerates = false;
};

}  // namespace

std::unique_ptr<const ClassState> NodeUnschedulable::Compile(Cluster&,
                                                             const PodClass& pod_class) const {
  const api::Taint cordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  auto state = std::make_unique<Tolerance>();
  state->tolerates = api::ToleratesAny(pod_class.spec().tolerations, cordoned);
  return state;
}

Verdict NodeUnschedulable::Filter(const Cycle& cycle, NodeMask& nodes) const {
  if (!cycle.compiled<Tolerance>(*this).tolerates) nodes -= cycle.nodes().columns().unschedulable;
  return {};
}

Verdict NodeUnschedulable::Explain(const Cycle& cycle, NodeRow node) const {
  if (cycle.compiled<Tolerance>(*this).tolerates) return {};
  if (!cycle.nodes().columns().unschedulable.Test(node.index())) return {};
  return {Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable"};
}

}  // namespace berth
