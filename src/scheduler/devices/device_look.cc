#include "scheduler/devices/device_look.h"

#include <cstring>
#include <utility>
#include <variant>
#include <vector>

namespace berth::scheduler::devices {
namespace {

using AttributeValue = decltype(cel::Device::Attribute::value);

AttributeValue ValueOf(const api::DeviceAttribute& attribute) {
  if (attribute.int_value) return *attribute.int_value;
  if (attribute.bool_value) return *attribute.bool_value;
  if (attribute.string_value) return std::string_view(*attribute.string_value);
  if (attribute.version_value) return cel::Device::Version{*attribute.version_value};
  return {};
}

// The bytes of all that selectors see. Sizes come before texts, so that different fields never
// give the same bytes.
class KeyWriter {
 public:
  void Number(auto number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    key_.append(bytes, sizeof(number));
  }
  void Text(std::string_view text) {
    Number(text.size());
    key_ += text;
  }
  void Value(const AttributeValue& value) {
    Number(value.index());
    std::visit([this](const auto& held) { Held(held); }, value);
  }
  std::string Take() { return std::move(key_); }

 private:
  void Held(std::monostate) {}
  void Held(int64_t number) { Number(number); }
  void Held(bool value) { Number(value); }
  void Held(std::string_view text) { Text(text); }
  void Held(const cel::Device::Version& version) { Text(version.text); }

  std::string key_;
};

std::string KeyOf(std::string_view driver, const api::Device& device) {
  KeyWriter key;
  key.Text(driver);
  key.Number(device.allow_multiple_allocations.value_or(false));
  key.Number(device.attributes.size());
  for (const auto& [name, attribute] : device.attributes) {
    key.Text(name);
    key.Value(ValueOf(attribute));
  }
  for (const auto& [name, capacity] : device.capacity) {
    key.Text(name);
    key.Text(capacity.value.ToString());
  }
  return key.Take();
}

}  // namespace

DeviceLook::DeviceLook(DeviceLooks& looks, std::string_view key)
    : looks_(looks), key_(key), slot_(looks.selectors_.AddDevice()) {}

DeviceLook::~DeviceLook() {
  looks_.selectors_.ReleaseDevice(slot_);
  looks_.looks_.erase(looks_.looks_.find(key_));
}

cel::Device MakeValue(std::string_view driver, const api::Device& device,
                      bool allow_multiple_allocations) {
  std::vector<cel::Device::Attribute> attributes;
  for (const auto& [name, attribute] : device.attributes)
    attributes.push_back({name, ValueOf(attribute)});
  std::vector<cel::Device::Capacity> capacity;
  for (const auto& [name, value] : device.capacity) capacity.push_back({name, &value.value});
  return cel::Device({.driver = driver,
                      .allow_multiple_allocations = allow_multiple_allocations,
                      .attributes = attributes,
                      .capacity = capacity});
}

const cel::Device& DeviceLook::ValueOf(std::string_view driver, const api::Device& device) const {
  if (!value_)
    value_ = MakeValue(driver, device, device.allow_multiple_allocations.value_or(false));
  return *value_;
}

std::shared_ptr<const DeviceLook> DeviceLooks::Use(std::string_view driver,
                                                   const api::Device& device) {
  const auto place = looks_.try_emplace(KeyOf(driver, device)).first;
  if (auto shared = place->second.lock()) return shared;
  auto made = std::make_shared<const DeviceLook>(*this, place->first);
  place->second = made;
  return made;
}

}  // namespace berth::scheduler::devices
