// FieldErrors collects validation errors of a configuration in the format of Kubernetes:
//   leaderElection.retryPeriod: Invalid value: "-3s": must be greater than zero
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace berth::api {

// FieldPath is the path of a field: profiles[0].plugins.score.
struct FieldPath {
  std::string text;

  FieldPath operator/(std::string_view name) const {
    return {text.empty() ? std::string(name) : text + "." + std::string(name)};
  }
  FieldPath operator[](size_t index) const { return {text + "[" + std::to_string(index) + "]"}; }
};

// Returns a value as an error quotes it.
std::string Show(std::string_view text);
std::string Show(Duration duration);
inline std::string Show(int64_t number) { return std::to_string(number); }

class FieldErrors {
 public:
  template <typename T>
  void Invalid(const FieldPath& path, const T& value, std::string_view why) {
    InvalidText(path, Show(value), why);
  }
  // Inserts `shown` into the error as it is.
  void InvalidText(const FieldPath& path, std::string_view shown, std::string_view why);
  void Required(const FieldPath& path, std::string_view why = "");
  void Forbidden(const FieldPath& path, std::string_view why);
  void Duplicate(const FieldPath& path, std::string_view shown);
  void Unsupported(const FieldPath& path, std::string_view value,
                   std::span<const std::string_view> supported);
  void Add(std::string error) { errors_.push_back(std::move(error)); }

  // Returns the errors in the order added, without repeats.
  std::vector<std::string> Take() &&;

 private:
  std::vector<std::string> errors_;
};

}  // namespace berth::api
