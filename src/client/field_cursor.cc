#include "client/field_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "api/json/json_text.h"
#include "base/base64.h"
#include "base/text.h"

namespace berth::client {

using api::JsonValue;
using Kind = JsonValue::Kind;

namespace {

std::string_view WithArticle(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "true or false";
    case Kind::kNumber:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "a list";
    case Kind::kObject:
      return "a map";
  }
  return "";
}

const JsonValue* UnlessNull(const JsonValue* value) {
  return value != nullptr && !value->IsNull() ? value : nullptr;
}

}  // namespace

FieldCursor FieldCursor::operator[](std::string_view name) const {
  const JsonValue* found = Is(Kind::kObject) ? UnlessNull(value_->Find(name)) : nullptr;
  return {found, path_ / name, *problem_};
}

std::vector<FieldCursor> FieldCursor::Items() const {
  std::vector<FieldCursor> items;
  if (!Is(Kind::kArray)) return items;
  items.reserve(value_->items.size());
  for (const JsonValue& item : value_->items) {
    items.emplace_back(UnlessNull(&item), path_[items.size()], *problem_);
  }
  return items;
}

std::vector<std::pair<std::string, FieldCursor>> FieldCursor::Members() const {
  std::vector<std::pair<std::string, FieldCursor>> members;
  if (!Is(Kind::kObject)) return members;
  for (const api::JsonMember& member : value_->members) {
    members.emplace_back(member.name,
                         FieldCursor(UnlessNull(&member.value), path_ / member.name, *problem_));
  }
  return members;
}

std::string FieldCursor::Text() const { return Is(Kind::kString) ? value_->text : ""; }

std::string FieldCursor::Secret() const { return Is(Kind::kString, true) ? value_->text : ""; }

std::string FieldCursor::Bytes() const {
  if (!Is(Kind::kString, true)) return "";
  auto bytes = DecodeBase64(value_->text);
  if (!bytes && problem_->empty()) {
    *problem_ = fmt::format("{}: {} bytes that are not base64", path_.text, value_->text.size());
  }
  return std::move(bytes).value_or("");
}

bool FieldCursor::Flag() const { return Is(Kind::kBool) && value_->boolean; }

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
  if (value_->kind == kind) return true;
  if (!secret) {
    Refuse(fmt::format("must be {}", WithArticle(kind)));
  } else if (problem_->empty()) {
    *problem_ = fmt::format("{}: {} where {} is expected", path_.text, WithArticle(value_->kind),
                            WithArticle(kind));
  }
  return false;
}

}  // namespace berth::client
