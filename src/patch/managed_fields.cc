#include "patch/managed_fields.h"

#include <algorithm>
#include <boost/json.hpp>
#include <tuple>
#include <utility>

#include "kinds/json_members.h"

namespace berth::apiserver {
namespace {

constexpr std::string_view kFieldsType = "FieldsV1";

std::string StringIn(const JsonObject& object, std::string_view name) {
  const Json* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return "";
  return std::string(std::string_view(value->get_string()));
}

JsonObject ToJson(const ManagedEntry& entry) {
  JsonObject object;
  object["manager"] = entry.manager;
  object["operation"] = entry.applied ? "Apply" : "Update";
  object["apiVersion"] = entry.api_version;
  if (!entry.time.empty()) object["time"] = entry.time;
  object["fieldsType"] = kFieldsType;
  object["fieldsV1"] = entry.fields.ToJson();
  if (!entry.subresource.empty()) object["subresource"] = entry.subresource;
  return object;
}

}  // namespace

bool ManagedEntry::SameManager(const ManagedEntry& other) const {
  return manager == other.manager && applied == other.applied && subresource == other.subresource &&
         (applied || api_version == other.api_version);
}

std::string ManagedEntry::Text() const {
  std::string text = boost::json::serialize(Json(manager));
  if (!subresource.empty())
    text += " with subresource " + boost::json::serialize(Json(subresource));
  return applied ? text : text + " using " + api_version;
}

std::vector<ManagedEntry> ReadManagedFields(const JsonObject& object) {
  std::vector<ManagedEntry> entries;
  const Json* metadata = object.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return entries;
  const Json* list = metadata->get_object().if_contains("managedFields");
  if (list == nullptr || !list->is_array()) return entries;
  for (const Json& element : list->get_array()) {
    const auto* item = element.if_object();
    if (item == nullptr || StringIn(*item, "fieldsType") != kFieldsType) continue;
    const std::string operation = StringIn(*item, "operation");
    const Json* fields = item->if_contains("fieldsV1");
    if (fields == nullptr || !fields->is_object()) continue;
    ManagedEntry entry{StringIn(*item, "manager"),    operation == "Apply",
                       StringIn(*item, "apiVersion"), StringIn(*item, "subresource"),
                       StringIn(*item, "time"),       FieldSet::FromJson(fields->get_object())};
    if (operation != "Apply" && operation != "Update") continue;
    if (entry.api_version.empty() || entry.fields.Empty()) continue;
    entries.push_back(std::move(entry));
  }
  return entries;
}

void WriteManagedFields(std::vector<ManagedEntry> entries, JsonObject& object) {
  std::erase_if(entries, [](const ManagedEntry& entry) { return entry.fields.Empty(); });
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = JsonObject();
  if (entries.empty()) {
    EraseMember(metadata.get_object(), "managedFields");
    return;
  }
  std::ranges::stable_sort(entries, {}, [](const ManagedEntry& entry) {
    return std::make_tuple(!entry.applied, entry.time, entry.manager, entry.api_version,
                           entry.subresource);
  });
  JsonArray list;
  for (const ManagedEntry& entry : entries) list.push_back(ToJson(entry));
  metadata.get_object().insert_or_assign("managedFields", std::move(list));
}

FieldSet WithoutServerFields(FieldSet fields) {
  fields.Erase("f:apiVersion");
  fields.Erase("f:kind");
  if (const FieldSet* metadata = fields.Find("f:metadata")) {
    FieldSet rest = *metadata;
    for (const char* name : {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid",
                             "f:generation", "f:managedFields", "f:resourceVersion",
                             "f:deletionTimestamp", "f:deletionGracePeriodSeconds"}) {
      rest.Erase(name);
    }
    fields.Erase("f:metadata");
    if (!rest.children().empty()) fields.Put("f:metadata", std::move(rest));
  }
  return fields;
}

}  // namespace berth::apiserver
