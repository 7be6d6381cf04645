#include "apiserver/patch/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"

namespace berth::apiserver::patch {
namespace {

constexpr std::string_view kSelf = ".";

bool IsElement(std::string_view text) {
  return text.size() >= 2 && text[1] == ':' &&
         (text[0] == 'f' || text[0] == 'k' || text[0] == 'v' || text[0] == 'i');
}

// Returns `[containerPort=80,protocol="TCP"]` for the keys in `json`.
std::string KeysText(std::string_view json) {
  const auto keys = api::ParseJson(json);
  if (!keys || !keys->is_object()) return "[" + std::string(json) + "]";
  std::string text;
  for (const auto& key : keys->get_object()) {
    if (!text.empty()) text += ",";
    text += std::string(key.key()) + "=" + api::ToJsonText(key.value());
  }
  return "[" + text + "]";
}

std::string ElementText(std::string_view element) {
  const std::string_view content = element.substr(2);
  switch (element[0]) {
    case 'f':
      return "." + std::string(content);
    case 'k':
      return KeysText(content);
    case 'v':
      return "[=" + std::string(content) + "]";
    default:
      return "[" + std::string(content) + "]";
  }
}

}  // namespace

FieldSet FieldSet::FromJson(const api::JsonObject& fields) {
  FieldSet set;
  for (const auto& [key, value] : fields) {
    if (key == kSelf) {
      set.owned_ = true;
      continue;
    }
    const auto* below = value.if_object();
    if (below == nullptr || !IsElement(key)) continue;
    FieldSet child = FromJson(*below);
    if (below->empty()) child.owned_ = true;
    set.Put(key, std::move(child));
  }
  return set;
}

api::JsonObject FieldSet::ToJson() const {
  api::JsonObject fields;
  if (owned_ && !children_.empty()) fields.emplace(kSelf, api::JsonObject());
  for (const auto& [element, below] : children_) fields.emplace(element, below.ToJson());
  return fields;
}

const FieldSet* FieldSet::Find(std::string_view element) const {
  const auto child = children_.find(element);
  return child == children_.end() ? nullptr : &child->second;
}

void FieldSet::Put(std::string element, FieldSet below) {
  if (!below.Empty()) children_.insert_or_assign(std::move(element), std::move(below));
}

void FieldSet::Erase(std::string_view element) {
  const auto child = children_.find(element);
  if (child != children_.end()) children_.erase(child);
}

void FieldSet::Add(FieldSet other) {
  owned_ = owned_ || other.owned_;
  // Moves the children that only the other set has; those in both stay there.
  children_.merge(other.children_);
  for (auto& [element, below] : other.children_) {
    children_.find(element)->second.Add(std::move(below));
  }
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  FieldSet result;
  result.owned_ = owned_ && !other.owned_;
  for (const auto& [element, below] : children_) {
    const FieldSet* theirs = other.Find(element);
    result.Put(element, theirs != nullptr ? below.Difference(*theirs) : below);
  }
  return result;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet result;
  result.owned_ = owned_ && other.owned_;
  for (const auto& [element, below] : children_) {
    if (const FieldSet* theirs = other.Find(element)) {
      result.Put(element, below.Intersection(*theirs));
    }
  }
  return result;
}

// Longer prefixes are not needed for shortened paths.
void FieldSet::AddPaths(std::string& prefix, size_t limit, std::vector<std::string>& paths) const {
  const size_t size = prefix.size();
  const auto append = [&](std::string_view element) {
    if (size <= api::kMaxQuotedBytes) prefix += ElementText(element);
  };
  for (const auto& [element, below] : children_) {
    if (paths.size() >= limit) return;
    if (!below.owned_) continue;
    append(element);
    paths.push_back(api::Limited(prefix));
    prefix.resize(size);
  }
  for (const auto& [element, below] : children_) {
    if (paths.size() >= limit) return;
    if (below.children_.empty()) continue;
    append(element);
    below.AddPaths(prefix, limit, paths);
    prefix.resize(size);
  }
}

size_t FieldSet::Size() const {
  size_t size = owned_ ? 1 : 0;
  for (const auto& [element, below] : children_) size += below.Size();
  return size;
}

std::vector<std::string> FieldSet::Paths(size_t limit) const {
  std::vector<std::string> paths;
  std::string prefix;
  AddPaths(prefix, limit, paths);
  return paths;
}

bool FieldSet::operator==(const FieldSet& other) const {
  return owned_ == other.owned_ && children_ == other.children_;
}

namespace {

constexpr std::string_view kFieldsType = "FieldsV1";

std::string StringIn(const api::JsonObject& object, std::string_view name) {
  const api::Json* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return "";
  return std::string(std::string_view(value->get_string()));
}

api::JsonObject ToJson(const ManagedEntry& entry) {
  api::JsonObject object;
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
  std::string text = api::ToJsonText(api::Json(manager));
  if (!subresource.empty()) text += " with subresource " + api::ToJsonText(api::Json(subresource));
  return applied ? text : text + " using " + api_version;
}

std::vector<ManagedEntry> ReadManagedFields(const api::JsonObject& object) {
  std::vector<ManagedEntry> entries;
  const api::Json* metadata = object.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return entries;
  const api::Json* list = metadata->get_object().if_contains("managedFields");
  if (list == nullptr || !list->is_array()) return entries;
  for (const api::Json& element : list->get_array()) {
    const auto* item = element.if_object();
    if (item == nullptr || StringIn(*item, "fieldsType") != kFieldsType) continue;
    const std::string operation = StringIn(*item, "operation");
    const api::Json* fields = item->if_contains("fieldsV1");
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

void WriteManagedFields(std::vector<ManagedEntry> entries, api::JsonObject& object) {
  std::erase_if(entries, [](const ManagedEntry& entry) { return entry.fields.Empty(); });
  api::Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = api::JsonObject();
  if (entries.empty()) {
    api::EraseMember(metadata.get_object(), "managedFields");
    return;
  }
  const auto before = [](const ManagedEntry& a, const ManagedEntry& b) {
    if (a.applied != b.applied) return a.applied;
    return std::tie(a.time, a.manager, a.api_version, a.subresource) <
           std::tie(b.time, b.manager, b.api_version, b.subresource);
  };
  std::ranges::stable_sort(entries, before);
  api::JsonArray list;
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

}  // namespace berth::apiserver::patch
