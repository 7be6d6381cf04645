// ConstraintState follows one constraint of a claim while devices are picked and put back.
//
// Putting a device back does not restore the state before it was picked: kube-scheduler forgets
// more than it should, and which devices it finds depends on that.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "api/resource_claim.h"
#include "api/resource_slice.h"

namespace berth::scheduler::reference {

// The device that is picked, and the request that it is for.
struct ConstrainedDevice {
  const std::string& driver;
  const api::Device& device;
  const std::string& request;
  const std::string& alternative;  // Empty if the request has none.
};

class ConstraintState {
 public:
  // `constraint` must outlive this and have matchAttribute or distinctAttribute.
  explicit ConstraintState(const api::DeviceConstraint& constraint) : constraint_(&constraint) {}

  // Adds the device, or returns false if it violates the constraint.
  bool Add(const ConstrainedDevice& added);
  // Removes a device that was added.
  void Remove(const ConstrainedDevice& removed);

 private:
  bool AppliesTo(const ConstrainedDevice& subject) const;

  const api::DeviceConstraint* constraint_;
  size_t devices_ = 0;
  // matchAttribute: the value of the first device.
  const api::DeviceAttribute* first_ = nullptr;
  // distinctAttribute: the value of the last device that was added for each request.
  std::map<std::string, const api::DeviceAttribute*> last_;
};

}  // namespace berth::scheduler::reference
