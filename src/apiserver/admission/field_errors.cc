#include "apiserver/admission/field_errors.h"

#include <fmt/format.h>

#include "api/json/document.h"
#include "api/json/writer.h"

namespace berth::apiserver::admission {

std::string Quote(std::string_view text) {
  std::string out;
  api::AppendJsonString(out, text);
  return out;
}

std::string FieldPath::ToString() const {
  std::string out = parent_ ? parent_->ToString() : std::string();
  switch (step_) {
    case kField:
      if (!out.empty()) out += '.';
      out += name_;
      break;
    case kIndex:
      out += fmt::format("[{}]", index_);
      break;
    case kKey:
      out += fmt::format("[{}]", name_);
      break;
  }
  return out;
}

void FieldErrors::Add(const FieldPath& path, std::string_view reason, std::string message) {
  causes_.push_back({std::string(reason), std::move(message), path.ToString()});
}

void FieldErrors::Required(const FieldPath& path, std::string_view detail) {
  Add(path, "FieldValueRequired",
      detail.empty() ? "Required value" : fmt::format("Required value: {}", detail));
}

void FieldErrors::Invalid(const FieldPath& path, std::string_view value, std::string_view detail) {
  Add(path, "FieldValueInvalid", fmt::format("Invalid value: {}: {}", Quote(value), detail));
}

void FieldErrors::Invalid(const FieldPath& path, int64_t value, std::string_view detail) {
  Add(path, "FieldValueInvalid", fmt::format("Invalid value: {}: {}", value, detail));
}

void FieldErrors::InvalidValue(const FieldPath& path, const api::Json& value,
                               std::string_view detail) {
  Add(path, "FieldValueInvalid",
      fmt::format("Invalid value: {}: {}", api::ToJsonText(value), detail));
}

void FieldErrors::NotSupported(const FieldPath& path, std::string_view value,
                               std::initializer_list<std::string_view> supported) {
  std::string list;
  for (const std::string_view name : supported) {
    if (!list.empty()) list += ", ";
    list += Quote(name);
  }
  Add(path, "FieldValueNotSupported",
      fmt::format("Unsupported value: {}: supported values: {}", Quote(value), list));
}

void FieldErrors::Duplicate(const FieldPath& path, std::string_view value) {
  Add(path, "FieldValueDuplicate", fmt::format("Duplicate value: {}", Quote(value)));
}

void FieldErrors::NotFound(const FieldPath& path, std::string_view value) {
  Add(path, "FieldValueNotFound", fmt::format("Not found: {}", Quote(value)));
}

void FieldErrors::NonNegative(const FieldPath& path, const api::Json* value) {
  const std::optional<int64_t> number = api::AsInt(value);
  if (!value || (number && *number >= 0)) return;
  if (number) return Invalid(path, *number, "must be greater than or equal to 0");
  InvalidValue(path, *value, "must be an integer");
}

void FieldErrors::Forbidden(const FieldPath& path, std::string_view detail) {
  Add(path, "FieldValueForbidden", fmt::format("Forbidden: {}", detail));
}

void FieldErrors::TooLong(const FieldPath& path, size_t limit) {
  Add(path, "FieldValueTooLong", fmt::format("Too long: may not be more than {} bytes", limit));
}

}  // namespace berth::apiserver::admission
