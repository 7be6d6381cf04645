// ConstraintState checks a constraint of a claim while devices are picked and given back: all
// devices have the same value of an attribute, or different ones.
#pragma once

#include <cstddef>
#include <map>

#include "api/resource_slice.h"
#include "scheduler/devices/requests.h"

namespace berth::scheduler::devices {

class ConstraintState {
 public:
  explicit ConstraintState(const CompiledConstraint& constraint) : constraint_(&constraint) {}

  // Adds the device, unless that violates the constraint; returns false then.
  bool Add(size_t request, size_t alternative, const Device& device);
  // Reverts the last Add that was successful and not reverted.
  void Remove(size_t request, size_t alternative);

 private:
  bool IsDistinct(const api::DeviceAttribute& attribute) const;

  const CompiledConstraint* constraint_;
  size_t devices_ = 0;
  const api::DeviceAttribute* first_ = nullptr;
  // Of distinct: the value of the device of each request that was added last. As in kube-scheduler,
  // it alone is compared, and reverting an Add removes it, even if the request has other devices.
  std::map<size_t, const api::DeviceAttribute*> last_;
};

}  // namespace berth::scheduler::devices
