// The constraints of a claim while devices are picked and given back: all devices have the same
// value of an attribute, or different ones.
//
// AttributeValues numbers the values of an attribute; ConstraintState compares numbers, so that a
// check takes the same time whatever was picked before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/resource_slice.h"
#include "base/string_hash.h"
#include "scheduler/devices/requests.h"

namespace berth::scheduler::devices {

// The values that candidates have of one attribute, as small numbers; looked up when first needed.
class AttributeValues {
 public:
  // The device has no such attribute, or one of an unknown type, which equals nothing.
  static constexpr uint32_t kMissing = 1, kUntyped = 2;

  // `attribute` must outlive this.
  AttributeValues(const std::string& attribute, size_t candidates)
      : attribute_(&attribute), values_(candidates) {}

  const std::string& attribute() const { return *attribute_; }
  // Returns the number of the value of a candidate, which is `device`.
  uint32_t Of(uint32_t candidate, const Device& device) {
    uint32_t& value = values_[candidate];
    if (value == 0) value = Number(device);
    return value;
  }
  // All numbers are below.
  uint32_t end() const { return end_; }

 private:
  uint32_t Number(const Device& device);

  const std::string* attribute_;
  std::vector<uint32_t> values_;  // By candidate; 0 is unknown.
  std::unordered_map<std::string, uint32_t, StringHash, std::equal_to<>> numbers_;
  uint32_t end_ = kUntyped + 1;
};

class ConstraintState {
 public:
  // `values` is an index of those of the search.
  ConstraintState(const CompiledConstraint& constraint, size_t values, size_t requests)
      : constraint_(&constraint), values_(values), last_(constraint.distinct ? requests : 0) {}

  const CompiledConstraint& constraint() const { return *constraint_; }
  size_t values() const { return values_; }
  bool AppliesTo(size_t request, size_t alternative) const {
    return constraint_->applies[request][alternative];
  }

  // Adds a device with this value, unless that violates the constraint; returns false then. The
  // constraint applies to the request.
  bool Add(size_t request, uint32_t value);
  // Reverts the last Add that was successful and not reverted.
  void Remove(size_t request);
  void Clear();

  bool has_devices() const { return devices_ > 0; }
  // Of a constraint that is not distinct: the value that all devices have.
  uint32_t first() const { return first_; }
  // Of distinct: the value of the request's device that was added last; 0 if there is none.
  uint32_t last(size_t request) const { return last_[request]; }
  // Of distinct: how many requests have it as their last value.
  uint32_t uses(uint32_t value) const { return value < uses_.size() ? uses_[value] : 0; }

 private:
  void Forget(size_t request);

  const CompiledConstraint* constraint_;
  size_t values_;
  size_t devices_ = 0;
  uint32_t first_ = 0;
  // Of distinct: the value of the device of each request that was added last. As in kube-scheduler,
  // it alone is compared, and reverting an Add removes it, even if the request has other devices.
  std::vector<uint32_t> last_;
  std::vector<uint32_t> uses_;  // By value: in how many requests it is the last.
  size_t requests_ = 0;         // That have a last value.
};

}  // namespace berth::scheduler::devices
