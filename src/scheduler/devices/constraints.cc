#include "scheduler/devices/constraints.h"

#include <cstring>
#include <string_view>

namespace berth::scheduler::devices {
namespace {

// The type and the value; "" for an unknown type. Texts come last, so that different values never
// give the same key.
std::string KeyOf(const api::DeviceAttribute& attribute) {
  if (attribute.string_value) return "s" + *attribute.string_value;
  if (attribute.int_value) {
    std::string key = "i";
    char bytes[sizeof(int64_t)];
    std::memcpy(bytes, &*attribute.int_value, sizeof(bytes));
    return key.append(bytes, sizeof(bytes));
  }
  if (attribute.bool_value) return *attribute.bool_value ? "b1" : "b0";
  return attribute.version_value ? "v" + *attribute.version_value : std::string();
}

}  // namespace

uint32_t AttributeValues::Number(const Device& device) {
  const api::DeviceAttribute* found = FindAttribute(device, *attribute_);
  if (found == nullptr) return kMissing;
  std::string key = KeyOf(*found);
  if (key.empty()) return kUntyped;
  const auto [place, is_new] = numbers_.try_emplace(std::move(key), end_);
  end_ += is_new;
  return place->second;
}

bool ConstraintState::Add(size_t request, uint32_t value) {
  if (value == AttributeValues::kMissing) return false;
  const bool typed = value != AttributeValues::kUntyped;
  if (!constraint_->distinct) {
    if (devices_ > 0 && (!typed || value != first_)) return false;
    if (devices_ == 0) first_ = value;
    ++devices_;
    return true;
  }
  if (devices_ > 0 && (typed ? uses(value) > 0 : requests_ > 0)) return false;
  Forget(request);
  last_[request] = value;
  if (value >= uses_.size()) uses_.resize(value + 1);
  ++uses_[value];
  ++requests_;
  ++devices_;
  return true;
}

void ConstraintState::Remove(size_t request) {
  if (constraint_->distinct) Forget(request);
  --devices_;
}

void ConstraintState::Forget(size_t request) {
  uint32_t& last = last_[request];
  if (last == 0) return;
  --uses_[last];
  --requests_;
  last = 0;
}

void ConstraintState::Clear() {
  devices_ = 0;
  for (size_t request = 0; request < last_.size(); ++request) Forget(request);
}

}  // namespace berth::scheduler::devices
