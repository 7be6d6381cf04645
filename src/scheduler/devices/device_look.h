// DeviceLook is what selectors see of a device: driver, attributes and capacity, not its name and
// pool. Devices that look alike, in any slice, share one, so that an expression is evaluated once
// for all of them.
//
// DeviceLooks shares them while a device has them. A look costs the bytes of its fields; the value
// is made on first use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/resource_slice.h"
#include "base/string_hash.h"
#include "cel/device.h"
#include "scheduler/devices/selectors.h"

namespace berth::scheduler::devices {

class DeviceLooks;

// Returns the device as selectors see it, if it could or could not be shared.
cel::Device MakeValue(std::string_view driver, const api::Device& device,
                      bool allow_multiple_allocations);

class DeviceLook {
 public:
  DeviceLook(DeviceLooks& looks, std::string_view key);
  ~DeviceLook();
  DeviceLook(const DeviceLook&) = delete;
  DeviceLook& operator=(const DeviceLook&) = delete;

  // In the table of selectors.
  uint32_t slot() const { return slot_; }
  // `device`, of `driver`, is one that looks so.
  const cel::Device& ValueOf(std::string_view driver, const api::Device& device) const;

 private:
  DeviceLooks& looks_;
  std::string_view key_;  // In looks_.
  const uint32_t slot_;
  mutable std::optional<cel::Device> value_;
};

class DeviceLooks {
 public:
  // `selectors` must outlive this, and this must outlive the looks.
  explicit DeviceLooks(SelectorTable& selectors) : selectors_(selectors) {}
  DeviceLooks(const DeviceLooks&) = delete;
  DeviceLooks& operator=(const DeviceLooks&) = delete;

  std::shared_ptr<const DeviceLook> Use(std::string_view driver, const api::Device& device);

  size_t size() const { return looks_.size(); }

 private:
  friend class DeviceLook;

  SelectorTable& selectors_;
  std::unordered_map<std::string, std::weak_ptr<const DeviceLook>, StringHash, std::equal_to<>>
      looks_;
};

}  // namespace berth::scheduler::devices
