#include "localcluster/object_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/timestamp.h"
#include "base/saturating.h"

namespace berth::localcluster {

std::vector<std::reference_wrapper<const JsonObject>> ObjectsAt(const JsonObject* object,
                                                                std::string_view key) {
  std::vector<std::reference_wrapper<const JsonObject>> objects;
  const JsonArray* items = ArrayAt(object, key);
  for (size_t i = 0; items && i < items->size(); ++i) {
    if (const JsonObject* item = (*items)[i].if_object()) objects.emplace_back(*item);
  }
  return objects;
}

std::optional<Instant> TimeAt(const JsonObject* object, std::string_view key) {
  const std::string_view text = StringAt(object, key);
  if (text.empty()) return std::nullopt;
  const auto time = api::ParseTimestamp(text);
  return time ? std::optional(*time) : std::nullopt;
}

const JsonObject* ConditionOf(const JsonObject* status, std::string_view type) {
  const JsonArray* conditions = ArrayAt(status, "conditions");
  for (size_t i = 0; conditions && i < conditions->size(); ++i) {
    const JsonObject* condition = (*conditions)[i].if_object();
    if (StringAt(condition, "type") == type) return condition;
  }
  return nullptr;
}

bool IsTrue(const JsonObject* status, std::string_view condition) {
  return StringAt(ConditionOf(status, condition), "status") == "True";
}

void RemoveCondition(JsonObject& status, std::string_view type) {
  JsonArray* conditions = ArrayAt(&status, "conditions");
  for (size_t i = conditions ? conditions->size() : 0; i-- > 0;) {
    if (StringAt(AsObject((*conditions)[i]), "type") != type) continue;
    conditions->erase(conditions->begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (conditions && conditions->empty()) status.erase("conditions");
}

const JsonObject* ControllerOf(const JsonObject* metadata) {
  const JsonArray* owners = ArrayAt(metadata, "ownerReferences");
  for (size_t i = 0; owners && i < owners->size(); ++i) {
    const JsonObject* owner = (*owners)[i].if_object();
    if (BoolAt(owner, "controller")) return owner;
  }
  return nullptr;
}

const std::string* LabelOf(const apiserver::store::Object& object, std::string_view key) {
  const auto found = std::ranges::lower_bound(
      object.labels, key, {}, [](const auto& label) -> std::string_view { return label.first; });
  return found != object.labels.end() && found->first == key ? &found->second : nullptr;
}

bool Matches(const api::Selector& selector, const apiserver::store::Object& object) {
  return !selector.nothing() &&
         std::ranges::all_of(selector.requirements(), [&](const api::Requirement& requirement) {
           return requirement.Matches(LabelOf(object, requirement.key));
         });
}

api::Selector SelectorOf(const Kind& kind, const JsonObject& document) {
  const JsonObject* selector = ObjectAt(ObjectAt(&document, "spec"), "selector");
  if (!selector) return api::Selector::Nothing();
  // These two have only the labels to match.
  if (&kind == &ReplicationControllers() || kind.kind == "Service") {
    return api::Selector::FromMap(api::StringMapOf(selector));
  }
  auto compiled = api::Selector::FromLabelSelector(api::LabelSelectorOf(*selector));
  return compiled ? std::move(*compiled) : api::Selector::Nothing();
}

void RemoveOwner(JsonObject& metadata, std::string_view uid) {
  JsonArray* owners = ArrayAt(&metadata, "ownerReferences");
  for (size_t i = owners ? owners->size() : 0; i-- > 0;) {
    if (StringAt(AsObject((*owners)[i]), "uid") == uid) {
      owners->erase(owners->begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (owners && owners->empty()) metadata.erase("ownerReferences");
}

void SetController(JsonObject& metadata, const Kind& kind, const JsonObject& owner) {
  const JsonObject* from = ObjectAt(&owner, "metadata");
  JsonObject& reference =
      EnsureArray(metadata, "ownerReferences").emplace_back(boost::json::object_kind).get_object();
  SetString(reference, "apiVersion", kind.api_version());
  SetString(reference, "kind", kind.kind);
  SetString(reference, "name", StringAt(from, "name"));
  SetString(reference, "uid", StringAt(from, "uid"));
  SetBool(reference, "controller", true);
  SetBool(reference, "blockOwnerDeletion", true);
}

JsonObject PodFromTemplate(const JsonObject& pod_template, const Kind& kind,
                           const JsonObject& owner) {
  JsonObject pod;
  JsonObject& metadata = EnsureObject(pod, "metadata");
  const JsonObject* from = ObjectAt(&pod_template, "metadata");
  for (const std::string_view key : {"labels", "annotations", "finalizers"}) {
    if (const Json* value = At(from, key)) metadata[key] = *value;
  }
  SetController(metadata, kind, owner);
  if (const Json* spec = At(&pod_template, "spec")) pod["spec"] = *spec;
  return pod;
}

int64_t ScaledValue(const Json* value, int64_t total, bool round_up, int64_t fallback) {
  // Counts have 32 bits in the API.
  const auto count = [](int64_t number) {
    return std::clamp<int64_t>(number, std::numeric_limits<int32_t>::min(),
                               std::numeric_limits<int32_t>::max());
  };
  if (!value) return fallback;
  if (const auto number = api::AsInt(value)) return count(*number);
  std::string_view text = AsString(value);
  if (!text.ends_with('%')) return count(api::ParseInt(text).value_or(fallback));
  text.remove_suffix(1);
  const auto percent = api::ParseInt(text);
  if (!percent) return fallback;
  return count(SaturatingAdd(SaturatingMultiply(*percent, total), round_up ? 99 : 0) / 100);
}

void SetCount(JsonObject& status, std::string_view key, int64_t count) {
  if (count == 0) {
    status.erase(key);
  } else {
    SetInt(status, key, count);
  }
}

bool RemoveText(JsonObject& object, std::string_view key, std::string_view text) {
  JsonArray* list = ArrayAt(&object, key);
  if (!list) return false;
  const auto found = std::ranges::find(*list, Json(text));
  if (found == list->end()) return false;
  list->erase(found);
  if (list->empty()) object.erase(key);
  return true;
}

std::string SafeHash(std::string_view text) {
  constexpr std::string_view kCharacters = "bcdfghjklmnpqrstvwxz2456789";
  uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619U;
  std::string safe = fmt::format("{}", hash);
  for (char& c : safe) c = kCharacters[static_cast<uint8_t>(c) % kCharacters.size()];
  return safe;
}

std::string CanonicalText(const Json& value) {
  if (const JsonArray* array = value.if_array()) {
    std::string text = "[";
    for (const Json& item : *array) text += CanonicalText(item) + ",";
    return text + "]";
  }
  const JsonObject* object = value.if_object();
  if (!object) return api::ToJsonText(value);
  std::vector<std::pair<std::string_view, const Json*>> members;
  for (const auto& member : *object) {
    // Empty and absent members are equivalent.
    if (!api::IsEmpty(&member.value())) members.emplace_back(member.key(), &member.value());
  }
  std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
  std::string text = "{";
  for (const auto& [key, item] : members) {
    text += key;
    text += ':' + CanonicalText(*item) + ',';
  }
  return text + "}";
}

}  // namespace berth::localcluster
