#include "scheduler/devices/constraints.h"

#include <algorithm>

namespace berth::scheduler::devices {

bool ConstraintState::Add(size_t request, size_t alternative, const Device& device) {
  if (!constraint_->applies[request][alternative]) return true;
  const api::DeviceAttribute* attribute = FindAttribute(device, *constraint_);
  if (attribute == nullptr) return false;
  if (devices_ == 0) {
    first_ = attribute;
  } else if (constraint_->distinct ? !IsDistinct(*attribute) : !SameValue(*attribute, *first_)) {
    return false;
  }
  if (constraint_->distinct) last_[request] = attribute;
  ++devices_;
  return true;
}

void ConstraintState::Remove(size_t request, size_t alternative) {
  if (!constraint_->applies[request][alternative]) return;
  last_.erase(request);
  --devices_;
}

bool ConstraintState::IsDistinct(const api::DeviceAttribute& attribute) const {
  const bool has_value = attribute.string_value || attribute.int_value || attribute.bool_value ||
                         attribute.version_value;
  return std::ranges::none_of(
      last_, [&](const auto& last) { return !has_value || SameValue(attribute, *last.second); });
}

}  // namespace berth::scheduler::devices
