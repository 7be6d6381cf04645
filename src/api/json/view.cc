#include "api/json/view.h"

#include "api/json/document.h"
#include "api/json/writer.h"

namespace berth::api {

JsonView JsonView::operator[](std::string_view key) const {
  JsonView found;
  if (value_ == nullptr || !value_->is_object()) return found;
  found.value_ = value_->get_object().if_contains(key);
  return found;
}

JsonView::operator bool() const { return value_ != nullptr && !value_->is_null(); }

std::string_view JsonView::text() const {
  if (value_ == nullptr || !value_->is_string()) return {};
  return value_->get_string();
}

std::string_view JsonView::text_or(std::string_view other) const {
  return text().empty() ? other : text();
}

int64_t JsonView::number() const { return number_or(0); }

int64_t JsonView::number_or(int64_t other) const {
  if (value_ == nullptr) return other;
  boost::json::error_code error;
  const auto number = value_->to_number<int64_t>(error);
  return error ? other : number;
}

bool JsonView::flag() const { return value_ != nullptr && value_->is_bool() && value_->get_bool(); }

std::string JsonView::scalar() const {
  if (value_ == nullptr) return {};
  if (value_->is_number()) return ToJsonText(*value_);
  return std::string(text());
}

std::vector<JsonView> JsonView::items() const {
  std::vector<JsonView> items;
  if (value_ == nullptr || !value_->is_array()) return items;
  items.reserve(size());
  for (const Json& item : value_->get_array()) items.emplace_back(item);
  return items;
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::fields() const {
  std::vector<std::pair<std::string_view, JsonView>> fields;
  if (value_ == nullptr || !value_->is_object()) return fields;
  for (const auto& field : value_->get_object()) fields.emplace_back(field.key(), field.value());
  return fields;
}

size_t JsonView::size() const {
  if (value_ == nullptr) return 0;
  if (value_->is_array()) return value_->get_array().size();
  return value_->is_object() ? value_->get_object().size() : 0;
}

}  // namespace berth::api
