// Evaluates device selectors for one example device.
#pragma once

#include <string>
#include <string_view>

#include "api/quantity.h"
#include "cel/device.h"
#include "cel/device_selector.h"

namespace berth::cel {

// A device of the driver gpu.example.com with attributes and capacities of every type.
inline const Device& ExampleDevice() {
  static const Device device = [] {
    const auto quantity = [](std::string_view text) { return *api::Quantity::Parse(text); };
    const api::Quantity memory = quantity("40Gi");
    const api::Quantity fraction = quantity("1500m");
    const Device::Attribute attributes[] = {
        {"model", std::string_view("a100")},
        {"index", int64_t{7}},
        {"healthy", true},
        {"version", Device::Version{"1.10.3"}},
        {"tags", std::string_view("a,b,,c")},
        {"net.example.com/ip", std::string_view("10.0.0.5")},
        {"empty", std::string_view("")},
    };
    const Device::Capacity capacity[] = {{"memory", &memory}, {"other.example.com/bw", &fraction}};
    return Device({.driver = "gpu.example.com",
                   .allow_multiple_allocations = false,
                   .attributes = attributes,
                   .capacity = capacity});
  }();
  return device;
}

// Returns "true" or "false", or "compile: ", "runtime: " or "cost: " with the message.
inline std::string Outcome(std::string_view expression) {
  const auto selector = DeviceSelector::Compile(expression);
  if (!selector) return "compile: " + selector.error().message;
  const auto outcome = selector->Evaluate(ExampleDevice());
  if (outcome.matches) return *outcome.matches ? "true" : "false";
  const auto& error = outcome.matches.error();
  return (error.kind == EvaluationError::Kind::kCost ? "cost: " : "runtime: ") + error.message;
}

}  // namespace berth::cel
