#include "client/field_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "api/json/writer.h"
#include "base/base64.h"
#include "base/text.h"

namespace berth::client {

using api::Json;
using Kind = boost::json::kind;

namespace {

std::string_view WithArticle(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::bool_:
      return "true or false";
    case Kind::int64:
    case Kind::uint64:
    case Kind::double_:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::array:
      return "a list";
    case Kind::object:
      return "a map";
  }
  return "";
}

const Json* UnlessNull(const Json& value) { return value.is_null() ? nullptr : &value; }

}  // namespace

FieldCursor FieldCursor::operator[](std::string_view name) const {
  const Json* found = Is(Kind::object) ? api::At(value_->if_object(), name) : nullptr;
  return {found, path_ / name, *problem_};
}

std::vector<FieldCursor> FieldCursor::Items() const {
  std::vector<FieldCursor> items;
  if (!Is(Kind::array)) return items;
  items.reserve(value_->get_array().size());
  for (const Json& item : value_->get_array()) {
    items.emplace_back(UnlessNull(item), path_[items.size()], *problem_);
  }
  return items;
}

std::vector<std::pair<std::string, FieldCursor>> FieldCursor::Members() const {
  std::vector<std::pair<std::string, FieldCursor>> members;
  if (!Is(Kind::object)) return members;
  for (const auto& [key, value] : value_->get_object()) {
    members.emplace_back(key, FieldCursor(UnlessNull(value), path_ / key, *problem_));
  }
  return members;
}

std::string FieldCursor::Text() const {
  return std::string(Is(Kind::string) ? api::AsString(value_) : "");
}

std::string FieldCursor::Secret() const {
  return std::string(Is(Kind::string, true) ? api::AsString(value_) : "");
}

std::string FieldCursor::Bytes() const {
  if (!Is(Kind::string, true)) return "";
  const std::string_view text = api::AsString(value_);
  auto bytes = DecodeBase64(text);
  if (!bytes && problem_->empty()) {
    *problem_ = fmt::format("{}: {} bytes that are not base64", path_.text, text.size());
  }
  return std::move(bytes).value_or("");
}

bool FieldCursor::Flag() const { return Is(Kind::bool_) && value_->get_bool(); }

std::vector<std::string> FieldCursor::Texts() const {
  std::vector<std::string> texts;
  for (const FieldCursor& item : Items()) texts.push_back(item.Text());
  return texts;
}

void FieldCursor::Refuse(std::string_view why) const {
  if (!problem_->empty()) return;
  const std::string shown = value_ == nullptr ? "not set" : api::ToJsonText(*value_);
  *problem_ = fmt::format("{}: {}: {}", path_.text.empty() ? "the document" : path_.text,
                          Shorten(shown), why);
}

bool FieldCursor::Is(Kind kind, bool secret) const {
  if (value_ == nullptr) return false;
  if (value_->kind() == kind) return true;
  if (!secret) {
    Refuse(fmt::format("must be {}", WithArticle(kind)));
  } else if (problem_->empty()) {
    *problem_ = fmt::format("{}: {} where {} is expected", path_.text, WithArticle(value_->kind()),
                            WithArticle(kind));
  }
  return false;
}

}  // namespace berth::client
