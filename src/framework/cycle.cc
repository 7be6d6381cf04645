#include "framework/cycle.h"

namespace berth {

CycleStates Cycle::CloneStates() const {
  CycleStates copies(states_.size());
  for (size_t slot = 0; slot < states_.size(); ++slot) {
    if (states_[slot] != nullptr) copies[slot] = states_[slot]->Clone();
  }
  return copies;
}

}  // namespace berth
