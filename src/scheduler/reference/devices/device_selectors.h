// DeviceSelectors evaluates the CEL expressions of device classes and requests.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "api/resource_slice.h"
#include "base/result.h"
#include "cel/device_selector.h"

namespace berth::scheduler::reference {

class DeviceSelectors {
 public:
  // Reports whether the device matches. Fails with "CEL compile error: ..." or "CEL runtime error:
  // ..."; `shareable` is the value of device.allowMultipleAllocations.
  Result<bool> Matches(const std::string& expression, std::string_view driver,
                       const api::Device& device, bool shareable);

 private:
  // By expression, so that each is compiled once.
  std::map<std::string, std::expected<cel::DeviceSelector, cel::CompileError>> compiled_;
};

}  // namespace berth::scheduler::reference
