// Arbitrary text as a device selector. One that compiles can be evaluated, with the same outcome
// each time, and stays within its limits.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/quantity.h"
#include "base/check.h"
#include "cel/device.h"
#include "cel/device_selector.h"

using berth::api::Quantity;
using berth::cel::Device;
using berth::cel::DeviceSelector;

namespace {

Device MakeDevice() {
  const Quantity memory = *Quantity::Parse("40Gi");
  const Device::Attribute attributes[] = {
      {"model", std::string_view("a100")},
      {"index", int64_t{7}},
      {"healthy", true},
      {"version", Device::Version{"1.10.3"}},
      {"x.example.com/s", std::string_view("\xff\xe6\x9d\xb1 text, with, commas")},
  };
  const Device::Capacity capacity[] = {{"memory", &memory}};
  return Device({.driver = "gpu.example.com",
                 .allow_multiple_allocations = true,
                 .attributes = attributes,
                 .capacity = capacity});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Device device = MakeDevice();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto selector = DeviceSelector::Compile(text);
  if (!selector) {
    CHECK(!selector.error().message.empty());
    return 0;
  }
  const auto outcome = selector->Evaluate(device);
  const auto again = selector->Evaluate(device);
  CHECK(outcome.matches.has_value() == again.matches.has_value());
  CHECK(outcome.cost == again.cost);
  if (outcome.matches) {
    CHECK(*outcome.matches == *again.matches);
  } else {
    CHECK(!outcome.matches.error().message.empty());
  }
  CHECK(DeviceSelector::EstimateCost(text, DeviceSelector::Scope::kStored).has_value());
  return 0;
}
