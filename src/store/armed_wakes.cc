#include "store/armed_wakes.h"

#include <utility>

namespace berth::store {

void ArmedWakes::Arm(const std::shared_ptr<Wake>& wake) {
  if (wake->armed) return;
  wake->armed = true;
  wake->slot = armed_.size();
  armed_.push_back(wake);
}

void ArmedWakes::Disarm(Wake& wake) {
  if (!wake.armed) return;
  wake.armed = false;
  if (wake.slot + 1 != armed_.size()) {
    armed_[wake.slot] = std::move(armed_.back());
    armed_[wake.slot]->slot = wake.slot;
  }
  armed_.pop_back();
}

void ArmedWakes::TakeAll(std::vector<std::shared_ptr<Wake>>& out) {
  for (std::shared_ptr<Wake>& wake : armed_) {
    wake->armed = false;
    out.push_back(std::move(wake));
  }
  armed_.clear();
}

}  // namespace berth::store
