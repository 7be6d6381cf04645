#include "api/field_errors.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/go_duration.h"
#include "base/text.h"

namespace berth::api {

std::string Limited(std::string_view text) {
  return text.size() <= kMaxQuotedBytes ? std::string(text) : Shorten(text, kMaxQuotedBytes);
}

std::string Show(std::string_view text) { return GoQuote(text); }

std::string Show(Duration duration) { return Show(FormatGoDuration(duration)); }

void FieldErrors::Add(FieldError error) {
  if (errors_.size() == kMaxReportedErrors) {
    ++unreported_;
    return;
  }
  error.field = Limited(error.field);
  errors_.push_back(std::move(error));
}

std::vector<FieldError> FieldErrors::Take() {
  if (unreported_ > 0) {
    errors_.push_back({"FieldValueInvalid", fmt::format("{} more errors", unreported_), ""});
  }
  unreported_ = 0;
  return std::exchange(errors_, {});
}

void FieldErrors::InvalidText(std::string field, std::string_view shown, std::string_view detail) {
  Add({"FieldValueInvalid", fmt::format("Invalid value: {}: {}", Limited(shown), Limited(detail)),
       std::move(field)});
}

void FieldErrors::Required(std::string field, std::string_view detail) {
  Add({"FieldValueRequired",
       fmt::format("Required value{}{}", detail.empty() ? "" : ": ", Limited(detail)),
       std::move(field)});
}

void FieldErrors::Forbidden(std::string field, std::string_view detail) {
  Add({"FieldValueForbidden", fmt::format("Forbidden: {}", Limited(detail)), std::move(field)});
}

void FieldErrors::NotFound(std::string field, std::string_view value) {
  Add({"FieldValueNotFound", fmt::format("Not found: {}", Limited(Show(value))), std::move(field)});
}

void FieldErrors::TooLong(std::string field, size_t limit) {
  Add({"FieldValueTooLong", fmt::format("Too long: may not be more than {} bytes", limit),
       std::move(field)});
}

void FieldErrors::TooMany(std::string field, size_t count, size_t limit) {
  Add({"FieldValueTooMany",
       fmt::format("Too many: {}: must have at most {} item{}", count, limit,
                   limit == 1 ? "" : "s"),
       std::move(field)});
}

void FieldErrors::Internal(std::string field, std::string_view detail) {
  Add({"InternalError", fmt::format("Internal error: {}", Limited(detail)), std::move(field)});
}

void FieldErrors::DuplicateText(std::string field, std::string_view shown) {
  Add({"FieldValueDuplicate", fmt::format("Duplicate value: {}", Limited(shown)),
       std::move(field)});
}

void FieldErrors::NotSupported(std::string field, std::string_view value,
                               std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view name : supported) {
    if (!list.empty()) list += ", ";
    list += Show(name);
  }
  Add({"FieldValueNotSupported",
       fmt::format("Unsupported value: {}: supported values: {}", Limited(Show(value)), list),
       std::move(field)});
}

std::vector<std::string> FieldErrors::TakeTexts() {
  std::set<std::string> seen;
  std::vector<std::string> texts;
  for (const FieldError& error : Take()) {
    if (seen.insert(error.ToString()).second) texts.push_back(error.ToString());
  }
  return texts;
}

}  // namespace berth::api
