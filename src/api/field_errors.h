// FieldPath is where a field is in the configuration: profiles[0].plugins.score.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace berth::api {

struct FieldPath {
  std::string text;

  FieldPath operator/(std::string_view name) const {
    return {text.empty() ? std::string(name) : text + "." + std::string(name)};
  }
  FieldPath operator[](size_t index) const { return {text + "[" + std::to_string(index) + "]"}; }
};

// FieldErrors collects what validation finds, in Kubernetes' words:
//   leaderElection.retryPeriod: Invalid value: "-3s": must be greater than zero
// A value as it appears in an error.
std::string Show(std::string_view text);
std::string Show(Duration duration);
inline std::string Show(int64_t number) { return std::to_string(number); }

class FieldErrors {
 public:
  template <typename T>
  void Invalid(const FieldPath& path, const T& value, std::string_view why) {
    InvalidText(path, Show(value), why);
  }
  // `shown` goes into the error as it is.
  void InvalidText(const FieldPath& path, std::string_view shown, std::string_view why);
  void Required(const FieldPath& path, std::string_view why = "");
  void Forbidden(const FieldPath& path, std::string_view why);
  void Duplicate(const FieldPath& path, std::string_view shown);
  void Unsupported(const FieldPath& path, std::string_view value,
                   std::span<const std::string_view> supported);
  void Add(std::string error) { errors_.push_back(std::move(error)); }

  // Each error once, in the order found.
  std::vector<std::string> Take() &&;

 private:
  std::vector<std::string> errors_;
};

}  // namespace berth::api
