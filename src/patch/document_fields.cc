#include "patch/document_fields.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>
#include <vector>

namespace berth::apiserver {
namespace {

FieldSet Owned() {
  FieldSet set;
  set.Own();
  return set;
}

FieldSet FieldsOfMember(const FieldContext& context, std::string_view name, const Json& value);

FieldSet FieldsOfElement(const FieldContext& list, const FieldRule& rule, const Json& element) {
  const auto* object = element.if_object();
  const bool granular = rule.apply == FieldRule::Apply::kMap && object != nullptr;
  FieldSet set = granular ? FieldsOf(list, *object) : FieldSet();
  set.Own();
  return set;
}

FieldSet FieldsOfMember(const FieldContext& context, std::string_view name, const Json& value) {
  const FieldContext below = context.Member(name);
  switch (GranularityOf(context, name, value)) {
    case Granularity::kValue:
      return Owned();
    case Granularity::kMembers: {
      const JsonObject& object = value.get_object();
      return object.empty() ? Owned() : FieldsOf(below, object);
    }
    default:
      break;
  }
  const JsonArray& array = value.get_array();
  if (array.empty()) return Owned();
  const FieldRule& rule = *context.ListRule(name);
  FieldSet set;
  for (const Json& element : array) {
    if (auto id = ElementOf(element, rule)) {
      set.Put(*std::move(id), FieldsOfElement(below, rule, element));
    }
  }
  return set;
}

// The elements of a list by what identifies them; more than one where they repeat.
using Elements = std::map<std::string, std::vector<const Json*>>;

Elements ElementsOf(const JsonArray& array, const FieldRule& rule) {
  Elements elements;
  for (const Json& element : array) {
    if (auto id = ElementOf(element, rule)) elements[*std::move(id)].push_back(&element);
  }
  return elements;
}

class Comparison {
 public:
  void Added(const std::string& element, FieldSet fields) {
    changes_.added.Put(element, std::move(fields));
  }
  void Removed(const std::string& element, FieldSet fields) {
    changes_.removed.Put(element, std::move(fields));
  }
  void Modified(const std::string& element) { changes_.modified.Put(element, Owned()); }
  void Below(const std::string& element, FieldChanges changes) {
    changes_.added.Put(element, std::move(changes.added));
    changes_.modified.Put(element, std::move(changes.modified));
    changes_.removed.Put(element, std::move(changes.removed));
  }
  FieldChanges Take() { return std::move(changes_); }

 private:
  FieldChanges changes_;
};

bool SameElements(const std::vector<const Json*>& a, const std::vector<const Json*>& b) {
  return std::ranges::equal(a, b, [](const Json* x, const Json* y) { return *x == *y; });
}

FieldChanges CompareLists(const FieldContext& list, const FieldRule& rule, const JsonArray& before,
                          const JsonArray& after) {
  const Elements old_elements = ElementsOf(before, rule);
  const Elements new_elements = ElementsOf(after, rule);
  Comparison comparison;
  for (const auto& [id, elements] : old_elements) {
    if (!new_elements.contains(id)) {
      comparison.Removed(id, FieldsOfElement(list, rule, *elements.front()));
    }
  }
  for (const auto& [id, elements] : new_elements) {
    const auto old = old_elements.find(id);
    if (old == old_elements.end()) {
      comparison.Added(id, FieldsOfElement(list, rule, *elements.front()));
    } else if (rule.apply == FieldRule::Apply::kMap && elements.size() == 1 &&
               old->second.size() == 1) {
      comparison.Below(id, CompareFields(list, old->second.front()->get_object(),
                                         elements.front()->get_object()));
    } else if (!SameElements(elements, old->second)) {
      comparison.Modified(id);
    }
  }
  return comparison.Take();
}

}  // namespace

Granularity GranularityOf(const FieldContext& context, std::string_view name, const Json& value) {
  if (value.is_object()) {
    return IsAtomicObject(name) ? Granularity::kValue : Granularity::kMembers;
  }
  const FieldRule* rule = value.is_array() ? context.ListRule(name) : nullptr;
  if (rule == nullptr || rule->apply == FieldRule::Apply::kAtomic) return Granularity::kValue;
  return rule->apply == FieldRule::Apply::kSet ? Granularity::kElementsByValue
                                               : Granularity::kElementsByKey;
}

std::optional<std::string> ElementOf(const Json& element, const FieldRule& rule) {
  if (rule.apply == FieldRule::Apply::kSet) return "v:" + boost::json::serialize(element);
  const auto* object = element.if_object();
  if (object == nullptr) return std::nullopt;
  JsonObject keys;
  bool any = false;
  for (const std::string_view key : rule.apply_keys) {
    if (const Json* value = object->if_contains(key)) {
      keys.emplace(key, *value);
      any = true;
    } else if (!DefaultOfKey(key).empty()) {
      keys.emplace(key, DefaultOfKey(key));
    }
  }
  if (!any) return std::nullopt;
  return "k:" + boost::json::serialize(keys);
}

FieldSet FieldsOf(const FieldContext& context, const JsonObject& object) {
  FieldSet set;
  for (const auto& [name, value] : object) {
    set.Put("f:" + std::string(name), FieldsOfMember(context, name, value));
  }
  return set;
}

FieldChanges CompareFields(const FieldContext& context, const JsonObject& before,
                           const JsonObject& after) {
  Comparison comparison;
  for (const auto& [name, value] : before) {
    if (!after.contains(name)) {
      comparison.Removed("f:" + std::string(name), FieldsOfMember(context, name, value));
    }
  }
  for (const auto& [name, value] : after) {
    const std::string element = "f:" + std::string(name);
    const Json* old = before.if_contains(name);
    if (old == nullptr) {
      comparison.Added(element, FieldsOfMember(context, name, value));
      continue;
    }
    if (*old == value) continue;
    const Granularity granularity = GranularityOf(context, name, value);
    if (granularity == Granularity::kValue || granularity != GranularityOf(context, name, *old)) {
      comparison.Modified(element);
    } else if (granularity == Granularity::kMembers) {
      comparison.Below(element,
                       CompareFields(context.Member(name), old->get_object(), value.get_object()));
    } else {
      comparison.Below(element, CompareLists(context.Member(name), *context.ListRule(name),
                                             old->get_array(), value.get_array()));
    }
  }
  return comparison.Take();
}

}  // namespace berth::apiserver
