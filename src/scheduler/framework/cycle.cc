#include "scheduler/framework/cycle.h"

#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

Cycle::Cycle(model::Cluster& cluster, const model::PodRecord& pod, const ClassStates& compiled)
    : cluster_(cluster),
      nodes_(cluster.nodes()),
      pod_(pod),
      class_(cluster.class_of(pod)),
      compiled_(compiled),
      states_(compiled.size()) {}

const api::PodSpec& Cycle::spec() const { return class_.spec(); }

CycleStates Cycle::CloneStates() const {
  CycleStates copies(states_.size());
  for (size_t slot = 0; slot < states_.size(); ++slot) {
    if (states_[slot] != nullptr) copies[slot] = states_[slot]->Clone();
  }
  return copies;
}

}  // namespace berth::scheduler::framework
