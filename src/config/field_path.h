// FieldPath is where a field is in the configuration: profiles[0].plugins.score.
#pragma once

#include <string>
#include <string_view>

namespace berth::config {

struct FieldPath {
  std::string text;

  FieldPath operator/(std::string_view name) const {
    return {text.empty() ? std::string(name) : text + "." + std::string(name)};
  }
  FieldPath operator[](size_t index) const { return {text + "[" + std::to_string(index) + "]"}; }
};

}  // namespace berth::config
