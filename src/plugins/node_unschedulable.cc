#include "plugins/node_unschedulable.h"

#include "api/selector.h"
#include "framework/cycle.h"
#include "plugins/hints.h"

namespace berth {
namespace {

struct Tolerance final : ClassState {
  bool tolerates = false;
};

bool ToleratesCordon(const api::PodSpec& spec) {
  const api::Taint cordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  return api::ToleratesAny(spec.tolerations, cordoned);
}

}  // namespace

std::unique_ptr<const ClassState> NodeUnschedulable::Compile(Cluster&,
                                                             const PodClass& pod_class) const {
  auto state = std::make_unique<Tolerance>();
  state->tolerates = ToleratesCordon(pod_class.spec());
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

std::vector<Interest> NodeUnschedulable::Interests() const {
  return {{{Resource::kNode, kAdd | kUpdateNodeTaint}}, {{Resource::kPod, kUpdatePodToleration}}};
}

Result<bool> NodeUnschedulable::MayHelp(const Cluster&, const PodRecord& pod,
                                        const ClusterEvent& event) const {
  if (KindOf(event) == Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    return IsSamePod(pod, *other->after) && ToleratesCordon(other->after->spec);
  }
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  const bool was_closed = node->before == nullptr || node->before->spec.unschedulable;
  return was_closed && !node->after->spec.unschedulable;
}

}  // namespace berth
