#include "apiserver/crd/correlation.h"

#include <algorithm>
#include <optional>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/crd/schema.h"

namespace berth::apiserver::crd {
namespace {

// Returns the keys of an item as JSON; nullopt if it lacks one, or has one that is no scalar.
std::optional<std::string> KeysOf(const Schema& list, const api::Json& item) {
  const api::JsonObject* object = item.if_object();
  if (object == nullptr || list.map_keys.empty()) return std::nullopt;
  std::string keys;
  for (const std::string& name : list.map_keys) {
    const api::Json* value = object->if_contains(name);
    if (value == nullptr || value->is_null() || value->is_structured()) return std::nullopt;
    api::AppendJson(keys, *value);
    keys += ',';
  }
  return keys;
}

}  // namespace

OldItems::OldItems(const Schema& list, const api::Json* old) : list_(list) {
  const api::JsonArray* array = old != nullptr ? old->if_array() : nullptr;
  if (array == nullptr || list.list_type != Schema::ListType::kMap) return;
  for (const api::Json& item : *array) {
    if (auto keys = KeysOf(list, item)) items_.emplace(*std::move(keys), &item);
  }
}

const api::Json* OldItems::Find(const api::Json& item) const {
  if (items_.empty()) return nullptr;
  const auto keys = KeysOf(list_, item);
  const auto found = keys ? items_.find(*keys) : items_.end();
  return found == items_.end() ? nullptr : found->second;
}

bool IsUnchanged(const Schema& schema, const api::Json& value, const api::Json& old) {
  if (value.is_array() && old.is_array()) {
    const api::JsonArray& array = value.get_array();
    if (array.size() != old.get_array().size()) return false;
    if (schema.list_type != Schema::ListType::kMap || schema.items == nullptr) return value == old;
    const OldItems old_items(schema, &old);
    return std::ranges::all_of(array, [&](const api::Json& item) {
      const api::Json* before = old_items.Find(item);
      return before != nullptr && IsUnchanged(*schema.items, item, *before);
    });
  }
  if (value.is_object() && old.is_object()) {
    const api::JsonObject& before = old.get_object();
    return value.get_object().size() == before.size() &&
           std::ranges::all_of(value.get_object(), [&](const auto& member) {
             const Schema* part = schema.SchemaOfMember(member.key());
             const api::Json* was = before.if_contains(member.key());
             return part != nullptr && was != nullptr && IsUnchanged(*part, member.value(), *was);
           });
  }
  return value == old;
}

}  // namespace berth::apiserver::crd
