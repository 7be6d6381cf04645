#include "scheduler/plugins/node_unschedulable.h"

#include "api/selector.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/node_table.h"
#include "scheduler/plugins/changed_object.h"

namespace berth::scheduler::plugins {
namespace {

// The node is not cordoned.
struct IsSchedulable final : framework::NodePredicate {
  bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override {
    return !cycle.nodes().columns().unschedulable.Test(node.index());
  }
  void Keep(const framework::Cycle& cycle, model::NodeMask& nodes) const override {
    nodes -= cycle.nodes().columns().unschedulable;
  }
  bool AppendKey(const framework::Cycle&, std::string&) const override { return true; }
};

struct Tolerance final : framework::ClassState {
  bool tolerates = false;
  IsSchedulable is_schedulable;
};

bool ToleratesCordon(const api::PodSpec& spec, const model::Features& features) {
  const api::Taint cordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  return api::ToleratesAny(spec.tolerations, cordoned,
                           features.taint_toleration_comparison_operators);
}

}  // namespace

std::unique_ptr<framework::ClassState> NodeUnschedulable::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<Tolerance>();
  state->tolerates = ToleratesCordon(pod_class.spec(), cluster.features());
  return state;
}

framework::Conditions NodeUnschedulable::Require(const framework::Cycle& cycle) const {
  const auto& compiled = cycle.compiled<Tolerance>(*this);
  if (compiled.tolerates) return {};
  return {framework::NodeClass{
      .is = &compiled.is_schedulable,
      .rejection = framework::Rejection{framework::Code::kUnschedulableAndUnresolvable,
                                        "node(s) were unschedulable"}}};
}

std::vector<framework::ClusterEventWithHint> NodeUnschedulable::EventsToRegister() const {
  return {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeTaint}},
          {{framework::Resource::kPod, framework::kUpdatePodToleration}}};
}

Result<bool> NodeUnschedulable::QueueingHint(const model::Cluster& cluster,
                                             const model::PodRecord& pod,
                                             const framework::ClusterEvent& event) const {
  if (KindOf(event) == framework::Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    return IsSamePod(pod, *other->after) && ToleratesCordon(other->after->spec, cluster.features());
  }
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  const bool was_closed = node->before == nullptr || node->before->spec.unschedulable;
  return was_closed && !node->after->spec.unschedulable;
}

}  // namespace berth::scheduler::plugins
