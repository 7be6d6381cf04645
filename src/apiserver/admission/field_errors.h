// FieldErrors collects the validation errors of an object as causes of an Invalid status, with the
// reasons and messages of the Kubernetes API.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/field_errors.h"
#include "api/json/json.h"

namespace berth::apiserver::admission {

// FieldPath is the path of a value: "spec.containers[0].name". Unlike api::FieldPath it refers to
// its parent, which must outlive it; the text is built only for errors.
class FieldPath {
 public:
  explicit FieldPath(std::string_view name) : name_(name) {}

  FieldPath operator/(std::string_view name) const { return FieldPath(this, name, kField, 0); }
  FieldPath operator[](size_t index) const { return FieldPath(this, {}, kIndex, index); }
  // "metadata.labels[a/b]"
  FieldPath Key(std::string_view key) const { return FieldPath(this, key, kKey, 0); }

  std::string ToString() const;
  operator std::string() const { return ToString(); }  // NOLINT(google-explicit-constructor)

 private:
  enum Step : uint8_t { kField, kIndex, kKey };
  FieldPath(const FieldPath* parent, std::string_view name, Step step, size_t index)
      : parent_(parent), name_(name), step_(step), index_(index) {}

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  Step step_ = kField;
  size_t index_ = 0;
};

// Errors in fields of documents.
class FieldErrors : public api::FieldErrors {
 public:
  void InvalidValue(const FieldPath& path, const api::Json& value, std::string_view detail);
  // Adds an error if `value` is present and not an integer of at least 0.
  void NonNegative(const FieldPath& path, const api::Json* value);
};

// Returns the value as quoted in "Invalid value: ...".
std::string Quote(std::string_view text);

}  // namespace berth::apiserver::admission
