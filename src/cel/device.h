// Device is a device of a ResourceSlice as selectors see it: the value of their variable `device`.
//
// Made once for a device and used for all selectors that are evaluated for it, also by several
// threads at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "cel/arena.h"
#include "cel/value.h"

namespace berth::cel {

class Device {
 public:
  struct Version {
    std::string_view text;
  };
  // std::monostate for an attribute that has none of these.
  struct Attribute {
    std::string_view name;  // With or without a domain: the driver's, unless it has one.
    std::variant<std::monostate, int64_t, bool, std::string_view, Version> value;
  };
  struct Capacity {
    std::string_view name;
    const api::Quantity* value = nullptr;
  };
  struct Fields {
    std::string_view driver;
    bool allow_multiple_allocations = false;
    std::span<const Attribute> attributes;
    std::span<const Capacity> capacity;
  };

  // Copies everything.
  explicit Device(const Fields& fields);

  // The map with driver, attributes, capacity and allowMultipleAllocations.
  const Value& value() const { return value_; }
  // Why no selector can be evaluated: an attribute without a usable value.
  const std::optional<std::string>& error() const { return error_; }

 private:
  std::unique_ptr<Arena> arena_;
  Value value_;
  std::optional<std::string> error_;
};

}  // namespace berth::cel
