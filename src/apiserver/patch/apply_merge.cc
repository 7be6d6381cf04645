#include "apiserver/patch/apply_merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/crd/schema.h"

namespace berth::apiserver::patch {
namespace {

FieldSet Owned() {
  FieldSet set;
  set.Own();
  return set;
}

FieldSet FieldsOfMember(const FieldContext& context, std::string_view name, const api::Json& value);

FieldSet FieldsOfElement(const FieldContext& list, const ListRule& rule, const api::Json& element) {
  const auto* object = element.if_object();
  const bool granular = rule.apply == FieldRule::Apply::kMap && object != nullptr;
  FieldSet set = granular ? FieldsOf(list, *object) : FieldSet();
  set.Own();
  return set;
}

FieldSet FieldsOfMember(const FieldContext& context, std::string_view name,
                        const api::Json& value) {
  const FieldContext below = context.Member(name);
  switch (GranularityOf(context, name, value)) {
    case Granularity::kValue:
      return Owned();
    case Granularity::kMembers: {
      const api::JsonObject& object = value.get_object();
      return object.empty() ? Owned() : FieldsOf(below, object);
    }
    default:
      break;
  }
  const api::JsonArray& array = value.get_array();
  if (array.empty()) return Owned();
  const ListRule rule = *context.RuleOf(name);
  FieldSet set;
  for (const api::Json& element : array) {
    if (auto id = ElementOf(element, rule)) {
      set.Put(*std::move(id), FieldsOfElement(below, rule, element));
    }
  }
  return set;
}

// The elements of a list by their path element; several if they repeat.
using Elements = std::map<std::string, std::vector<const api::Json*>>;

Elements ElementsOf(const api::JsonArray& array, const ListRule& rule) {
  Elements elements;
  for (const api::Json& element : array) {
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

bool SameElements(const std::vector<const api::Json*>& a, const std::vector<const api::Json*>& b) {
  return std::ranges::equal(a, b, [](const api::Json* x, const api::Json* y) { return *x == *y; });
}

FieldChanges CompareLists(const FieldContext& list, const ListRule& rule,
                          const api::JsonArray& before, const api::JsonArray& after) {
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

std::optional<api::Json> ListRule::DefaultOf(std::string_view key) const {
  if (items != nullptr) {
    const crd::Schema* property = items->FindProperty(key);
    if (property == nullptr || property->default_value == nullptr) return std::nullopt;
    return *property->default_value;
  }
  const std::string_view value = DefaultOfKey(key);
  return value.empty() ? std::nullopt : std::optional<api::Json>(value);
}

FieldContext FieldContext::Of(const api::scheme::Kind& kind) {
  const crd::CustomVersion* version = crd::VersionOf(kind);
  if (version == nullptr) return {.kind = kind.kind, .field = ""};
  return {.kind = kind.kind, .field = "", .custom = true, .schema = &version->schema};
}

FieldContext FieldContext::Member(std::string_view name) const {
  if (!custom) return {.kind = kind, .field = name};
  const bool resource = field.empty() || (schema != nullptr && schema->embedded_resource);
  if (resource && name == "metadata") return {.kind = "", .field = name};
  const crd::Schema* member = schema != nullptr ? schema->SchemaOfMember(name) : nullptr;
  if (member != nullptr && member->items != nullptr) member = member->items.get();
  return {.kind = kind, .field = name, .custom = true, .schema = member};
}

std::optional<ListRule> FieldContext::RuleOf(std::string_view name) const {
  using Apply = FieldRule::Apply;
  if (!custom) {
    const FieldRule* rule = FindListRule(kind, field, name);
    if (rule == nullptr || rule->apply == Apply::kAtomic) return std::nullopt;
    return ListRule{.apply = rule->apply, .keys = rule->apply_keys, .field = rule->field};
  }
  const crd::Schema* list = schema != nullptr ? schema->SchemaOfMember(name) : nullptr;
  if (list == nullptr || list->list_type == crd::Schema::ListType::kAtomic) return std::nullopt;
  if (list->list_type == crd::Schema::ListType::kSet) {
    return ListRule{.apply = Apply::kSet, .field = name};
  }
  const bool atomic = list->items != nullptr && list->items->atomic_map;
  return ListRule{.apply = atomic ? Apply::kMapOfAtomic : Apply::kMap,
                  .keys = {list->map_keys.begin(), list->map_keys.end()},
                  .field = name,
                  .items = list->items.get()};
}

bool FieldContext::IsAtomic(std::string_view name) const {
  if (!custom) return IsAtomicObject(name);
  const crd::Schema* member = schema != nullptr ? schema->SchemaOfMember(name) : nullptr;
  return member != nullptr && member->atomic_map;
}

Granularity GranularityOf(const FieldContext& context, std::string_view name,
                          const api::Json& value) {
  if (value.is_object()) {
    return context.IsAtomic(name) ? Granularity::kValue : Granularity::kMembers;
  }
  const auto rule = value.is_array() ? context.RuleOf(name) : std::nullopt;
  if (!rule) return Granularity::kValue;
  return rule->apply == FieldRule::Apply::kSet ? Granularity::kElementsByValue
                                               : Granularity::kElementsByKey;
}

std::optional<std::string> ElementOf(const api::Json& element, const ListRule& rule) {
  if (rule.apply == FieldRule::Apply::kSet) return "v:" + api::ToJsonText(element);
  const auto* object = element.if_object();
  if (object == nullptr) return std::nullopt;
  api::JsonObject keys;
  bool any = false;
  for (const std::string_view key : rule.keys) {
    if (const api::Json* value = object->if_contains(key)) {
      keys.emplace(key, *value);
      any = true;
    } else if (auto fallback = rule.DefaultOf(key)) {
      keys.emplace(key, *std::move(fallback));
    }
  }
  if (!any) return std::nullopt;
  return "k:" + api::ToJsonText(keys);
}

FieldSet FieldsOf(const FieldContext& context, const api::JsonObject& object) {
  FieldSet set;
  for (const auto& [name, value] : object) {
    set.Put("f:" + std::string(name), FieldsOfMember(context, name, value));
  }
  return set;
}

FieldChanges CompareFields(const FieldContext& context, const api::JsonObject& before,
                           const api::JsonObject& after) {
  Comparison comparison;
  for (const auto& [name, value] : before) {
    if (!after.contains(name)) {
      comparison.Removed("f:" + std::string(name), FieldsOfMember(context, name, value));
    }
  }
  for (const auto& [name, value] : after) {
    const std::string element = "f:" + std::string(name);
    const api::Json* old = before.if_contains(name);
    if (old == nullptr) {
      comparison.Added(element, FieldsOfMember(context, name, value));
      continue;
    }
    // Objects are compared only member by member, not also as a whole at each level.
    const Granularity granularity = GranularityOf(context, name, value);
    const bool comparable = granularity == GranularityOf(context, name, *old);
    if (granularity == Granularity::kMembers && comparable) {
      comparison.Below(element,
                       CompareFields(context.Member(name), old->get_object(), value.get_object()));
    } else if (*old == value) {
      continue;
    } else if (granularity == Granularity::kValue || !comparable) {
      comparison.Modified(element);
    } else {
      comparison.Below(element, CompareLists(context.Member(name), *context.RuleOf(name),
                                             old->get_array(), value.get_array()));
    }
  }
  return comparison.Take();
}

namespace {

api::Json WithoutNulls(const api::Json& value) {
  if (const auto* object = value.if_object()) {
    api::JsonObject result;
    for (const auto& member : *object) {
      if (!member.value().is_null()) result.emplace(member.key(), WithoutNulls(member.value()));
    }
    return result;
  }
  if (const auto* array = value.if_array()) {
    api::JsonArray result;
    for (const api::Json& element : *array) result.push_back(WithoutNulls(element));
    return result;
  }
  return value;
}

std::expected<void, std::string> CheckObject(const FieldContext& context,
                                             const api::JsonObject& object);

std::expected<void, std::string> CheckList(const FieldContext& list, const ListRule& rule,
                                           const api::JsonArray& array) {
  std::set<std::string> seen;
  for (const api::Json& element : array) {
    auto id = ElementOf(element, rule);
    if (!id) {
      return std::unexpected("an element of " + std::string(rule.field) + " lacks its key \"" +
                             std::string(rule.keys.front()) + "\": " + api::ToJsonText(element));
    }
    if (!seen.insert(*id).second) {
      return std::unexpected(std::string(rule.field) +
                             " has two elements with the same keys: " + id->substr(2));
    }
    if (rule.apply != FieldRule::Apply::kMap) continue;
    if (auto outcome = CheckObject(list, element.get_object()); !outcome) return outcome;
  }
  return {};
}

std::expected<void, std::string> CheckObject(const FieldContext& context,
                                             const api::JsonObject& object) {
  for (const auto& [name, value] : object) {
    std::expected<void, std::string> outcome;
    switch (GranularityOf(context, name, value)) {
      case Granularity::kValue:
        break;
      case Granularity::kMembers:
        outcome = CheckObject(context.Member(name), value.get_object());
        break;
      default:
        outcome = CheckList(context.Member(name), *context.RuleOf(name), value.get_array());
    }
    if (!outcome) return outcome;
  }
  return {};
}

// Ordered, since the keys of a hash table could be chosen to collide.
using Positions = std::map<std::string, size_t>;

Positions PositionsOf(const api::JsonArray& array, const ListRule& rule) {
  Positions positions;
  for (size_t i = 0; i < array.size(); ++i) {
    if (auto id = ElementOf(array[i], rule)) positions.emplace(*std::move(id), i);
  }
  return positions;
}

api::Json MergeElement(const FieldContext& list, const ListRule& rule, api::Json live,
                       const api::Json& config) {
  if (rule.apply != FieldRule::Apply::kMap || !live.is_object()) return config;
  MergeConfig(list, live.get_object(), config.get_object());
  return live;
}

api::JsonArray MergeLists(const FieldContext& list, const ListRule& rule,
                          const api::JsonArray& live, const api::JsonArray& config) {
  const Positions in_live = PositionsOf(live, rule);
  const Positions in_config = PositionsOf(config, rule);
  api::JsonArray merged;
  size_t next = 0;
  // Elements of the live list alone come before the next one in both lists.
  const auto take_others = [&] {
    for (; next < live.size(); ++next) {
      const auto id = ElementOf(live[next], rule);
      if (id && in_config.contains(*id)) break;
      merged.push_back(live[next]);
    }
  };
  for (const api::Json& element : config) {
    take_others();
    const auto found = in_live.find(*ElementOf(element, rule));
    if (found == in_live.end()) {
      merged.push_back(element);
      continue;
    }
    merged.push_back(MergeElement(list, rule, live[found->second], element));
    if (found->second == next) ++next;
  }
  for (; next < live.size(); ++next) {
    const auto id = ElementOf(live[next], rule);
    if (!id || !in_config.contains(*id)) merged.push_back(live[next]);
  }
  return merged;
}

void RemoveElements(const FieldContext& list, const ListRule& rule, api::JsonArray& array,
                    const FieldSet& last, const FieldSet& keep) {
  api::JsonArray remaining;
  for (api::Json& element : array) {
    const auto id = ElementOf(element, rule);
    const FieldSet* mine = id ? last.Find(*id) : nullptr;
    if (mine != nullptr) {
      const FieldSet* claimed = keep.Find(*id);
      if (claimed == nullptr) continue;
      if (rule.apply == FieldRule::Apply::kMap) {
        PruneUnowned(list, element.get_object(), *mine, *claimed);
      }
    }
    remaining.push_back(std::move(element));
  }
  array = std::move(remaining);
}

}  // namespace

std::expected<api::JsonObject, std::string> ValidateAppliedConfig(const FieldContext& context,
                                                                  const api::JsonObject& config) {
  api::JsonObject result = WithoutNulls(config).get_object();
  if (auto outcome = CheckObject(context, result); !outcome) {
    return std::unexpected(std::move(outcome.error()));
  }
  return result;
}

void MergeConfig(const FieldContext& context, api::JsonObject& live,
                 const api::JsonObject& config) {
  for (const auto& [name, value] : config) {
    api::Json* current = live.if_contains(name);
    const Granularity granularity = GranularityOf(context, name, value);
    if (current == nullptr || granularity == Granularity::kValue ||
        granularity != GranularityOf(context, name, *current)) {
      live.insert_or_assign(name, value);
    } else if (granularity == Granularity::kMembers) {
      MergeConfig(context.Member(name), current->get_object(), value.get_object());
    } else {
      *current = MergeLists(context.Member(name), *context.RuleOf(name), current->get_array(),
                            value.get_array());
    }
  }
}

void PruneUnowned(const FieldContext& context, api::JsonObject& object, const FieldSet& last,
                  const FieldSet& keep) {
  static const FieldSet kNothing;
  api::EraseMembersIf(object, [&](const auto& member) {
    const bool is_metadata = context.field.empty() && member.key() == "metadata";
    const std::string element = "f:" + std::string(member.key());
    return !is_metadata && last.Find(element) != nullptr && keep.Find(element) == nullptr;
  });
  for (const auto& [element, mine] : last.children()) {
    if (!element.starts_with("f:")) continue;
    const std::string name = element.substr(2);
    api::Json* value = object.if_contains(name);
    if (value == nullptr) continue;
    const FieldSet* claimed = keep.Find(element);
    if (claimed == nullptr) claimed = &kNothing;
    switch (GranularityOf(context, name, *value)) {
      case Granularity::kValue:
        break;
      case Granularity::kMembers:
        PruneUnowned(context.Member(name), value->get_object(), mine, *claimed);
        break;
      default:
        RemoveElements(context.Member(name), *context.RuleOf(name), value->get_array(), mine,
                       *claimed);
    }
  }
}

}  // namespace berth::apiserver::patch
