// FieldErrors collects validation errors in the format of k8s.io/apimachinery's field.Error:
//   leaderElection.retryPeriod: Invalid value: "-3s": must be greater than zero
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace berth::api {

// What errors report of an object is limited, so that one with many errors, or with long names and
// values, costs no more than its size: the number of errors (that of kube-apiserver's strict
// decoder), and how many bytes of a value or a path an error quotes.
inline constexpr size_t kMaxReportedErrors = 100;
inline constexpr size_t kMaxQuotedBytes = 4096;

// Returns `text`, truncated if it is longer than kMaxQuotedBytes.
std::string Limited(std::string_view text);

// FieldPath is the path of a field: profiles[0].plugins.score.
struct FieldPath {
  std::string text;

  FieldPath operator/(std::string_view name) const {
    return {text.empty() ? std::string(name) : text + "." + std::string(name)};
  }
  FieldPath operator[](size_t index) const { return {text + "[" + std::to_string(index) + "]"}; }

  operator std::string() const { return text; }  // NOLINT(google-explicit-constructor)
};

// One error; in a Status, one of the causes.
struct FieldError {
  std::string reason;   // "FieldValueInvalid"
  std::string message;  // `Invalid value: "x": must be ...`
  std::string field;    // "spec.containers[0].name"; may be empty.

  std::string ToString() const { return field.empty() ? message : field + ": " + message; }
};

// Returns a value as an error quotes it.
std::string Show(std::string_view text);
std::string Show(Duration duration);
inline std::string Show(int64_t number) { return std::to_string(number); }

// Paths convert to the text of a field only here, so that those without errors cost nothing. Errors
// beyond kMaxReportedErrors are only counted.
class FieldErrors {
 public:
  template <typename T>
  void Invalid(std::string field, const T& value, std::string_view detail) {
    InvalidText(std::move(field), Show(value), detail);
  }
  // Inserts `shown` into the error as it is.
  void InvalidText(std::string field, std::string_view shown, std::string_view detail);
  void Required(std::string field, std::string_view detail = {});
  void Forbidden(std::string field, std::string_view detail);
  void NotFound(std::string field, std::string_view value);
  void TooLong(std::string field, size_t limit);
  void TooMany(std::string field, size_t count, size_t limit);
  void Internal(std::string field, std::string_view detail);
  void Duplicate(std::string field, std::string_view value) {
    DuplicateText(std::move(field), Show(value));
  }
  void DuplicateText(std::string field, std::string_view shown);
  void NotSupported(std::string field, std::string_view value,
                    std::span<const std::string_view> supported);
  void NotSupported(std::string field, std::string_view value,
                    std::initializer_list<std::string_view> supported) {
    NotSupported(std::move(field), value, std::span(supported.begin(), supported.size()));
  }
  void Add(FieldError error);

  bool empty() const { return errors_.empty(); }
  // Reports whether further errors are only counted.
  bool full() const { return errors_.size() >= kMaxReportedErrors; }
  // Returns the errors; the last one says how many more there are, if any.
  std::vector<FieldError> Take();
  // Returns the errors as "field: message" in the order added, without repeats.
  std::vector<std::string> TakeTexts();

 private:
  std::vector<FieldError> errors_;
  size_t unreported_ = 0;
};

}  // namespace berth::api
