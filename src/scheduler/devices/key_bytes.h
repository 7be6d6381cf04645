// KeyBytes writes values one behind the other, as the key of a table.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "api/quantity.h"

namespace berth::scheduler::devices {

class KeyBytes {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T>
  void Add(T value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    key_.append(bytes, sizeof(value));
  }
  // Equal quantities may give different bytes, different ones never the same.
  void Add(const api::Quantity& quantity) {
    if (const auto number = quantity.AsInt64()) {
      Add<uint32_t>(0);
      Add(*number);
      return;
    }
    const std::string text = quantity.ToString();
    Add(static_cast<uint32_t>(text.size()));
    key_ += text;
  }

  std::string Take() { return std::move(key_); }

 private:
  std::string key_;
};

}  // namespace berth::scheduler::devices
