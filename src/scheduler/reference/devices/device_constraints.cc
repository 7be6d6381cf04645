#include "scheduler/reference/devices/device_constraints.h"

#include <algorithm>

#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {
namespace {

// Returns the attribute with that name. Attributes without a domain are in the driver's.
const api::DeviceAttribute* FindAttribute(const ConstrainedDevice& subject,
                                          const std::string& name) {
  const auto& attributes = subject.device.attributes;
  if (const auto found = attributes.find(name); found != attributes.end()) return &found->second;
  const size_t slash = name.find('/');
  if (slash == std::string::npos || name.substr(0, slash) != subject.driver) return nullptr;
  const auto found = attributes.find(name.substr(slash + 1));
  return found == attributes.end() ? nullptr : &found->second;
}

// Reports whether both have a single value, of the same type, and it is equal. Types are tried in
// this order; only the type of `a` counts.
bool SameValue(const api::DeviceAttribute& a, const api::DeviceAttribute& b) {
  if (a.string_value) return a.string_value == b.string_value;
  if (a.int_value) return a.int_value == b.int_value;
  if (a.bool_value) return a.bool_value == b.bool_value;
  if (a.version_value) return a.version_value == b.version_value;
  return false;
}

bool HasSingleValue(const api::DeviceAttribute& attribute) {
  return attribute.string_value || attribute.int_value || attribute.bool_value ||
         attribute.version_value;
}

}  // namespace

bool ConstraintState::AppliesTo(const ConstrainedDevice& subject) const {
  const auto& requests = constraint_->requests;
  if (requests.empty() || Contains(requests, subject.request)) return true;
  return !subject.alternative.empty() &&
         Contains(requests, subject.request + "/" + subject.alternative);
}

bool ConstraintState::Add(const ConstrainedDevice& added) {
  if (!AppliesTo(added)) return true;
  const bool must_match = constraint_->match_attribute.has_value();
  const auto* value = FindAttribute(
      added, must_match ? *constraint_->match_attribute : *constraint_->distinct_attribute);
  if (value == nullptr) return false;
  if (must_match) {
    if (devices_ > 0 && !SameValue(*value, *first_)) return false;
    if (devices_ == 0) first_ = value;
  } else {
    // A value of an unknown type is never distinct from another.
    const auto clashes = [&](const auto& last) {
      return !HasSingleValue(*value) || SameValue(*value, *last.second);
    };
    if (devices_ > 0 && std::ranges::any_of(last_, clashes)) return false;
    last_[added.request] = value;
  }
  ++devices_;
  return true;
}

void ConstraintState::Remove(const ConstrainedDevice& removed) {
  if (!AppliesTo(removed)) return;
  // As in kube-scheduler, also if other devices of the request remain.
  last_.erase(removed.request);
  --devices_;
}

}  // namespace berth::scheduler::reference
