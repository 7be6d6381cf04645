// FieldErrors collects the validation errors of an object as causes of an Invalid status, with the
// reasons and messages of the Kubernetes API.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::apiserver::admission {

// FieldPath is the path of a value: "spec.containers[0].name". It refers to its parent, which must
// outlive it; the text is built only for errors.
class FieldPath {
 public:
  explicit FieldPath(std::string_view name) : name_(name) {}

  FieldPath operator/(std::string_view name) const { return FieldPath(this, name, kField, 0); }
  FieldPath operator[](size_t index) const { return FieldPath(this, {}, kIndex, index); }
  // "metadata.labels[a/b]"
  FieldPath Key(std::string_view key) const { return FieldPath(this, key, kKey, 0); }

  std::string ToString() const;

 private:
  enum Step : uint8_t { kField, kIndex, kKey };
  FieldPath(const FieldPath* parent, std::string_view name, Step step, size_t index)
      : parent_(parent), name_(name), step_(step), index_(index) {}

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  Step step_ = kField;
  size_t index_ = 0;
};

class FieldErrors {
 public:
  void Required(const FieldPath& path, std::string_view detail = {});
  void Invalid(const FieldPath& path, std::string_view value, std::string_view detail);
  void Invalid(const FieldPath& path, int64_t value, std::string_view detail);
  void InvalidValue(const FieldPath& path, const api::Json& value, std::string_view detail);
  void NotSupported(const FieldPath& path, std::string_view value,
                    std::initializer_list<std::string_view> supported);
  void NotFound(const FieldPath& path, std::string_view value);
  void Duplicate(const FieldPath& path, std::string_view value);
  void Forbidden(const FieldPath& path, std::string_view detail);
  void TooLong(const FieldPath& path, size_t limit);

  // Adds an error if `value` is present and not an integer of at least 0.
  void NonNegative(const FieldPath& path, const api::Json* value);

  bool empty() const { return causes_.empty(); }
  std::vector<api::scheme::ApiError::Cause> Take() { return std::move(causes_); }

 private:
  void Add(const FieldPath& path, std::string_view reason, std::string message);
  std::vector<api::scheme::ApiError::Cause> causes_;
};

// Returns the value as quoted in "Invalid value: ...".
std::string Quote(std::string_view text);

}  // namespace berth::apiserver::admission
