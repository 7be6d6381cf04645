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

void FieldErrors::InvalidValue(const FieldPath& path, const api::Json& value,
                               std::string_view detail) {
  InvalidText(path, api::ToJsonText(value), detail);
}

void FieldErrors::NonNegative(const FieldPath& path, const api::Json* value) {
  const std::optional<int64_t> number = api::AsInt(value);
  if (!value || (number && *number >= 0)) return;
  if (number) return Invalid(path, *number, "must be greater than or equal to 0");
  InvalidValue(path, *value, "must be an integer");
}

}  // namespace berth::apiserver::admission
