#include "patch/apply_merge.h"

#include <boost/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "kinds/json_members.h"

namespace berth::apiserver {
namespace {

Json WithoutNulls(const Json& value) {
  if (const auto* object = value.if_object()) {
    JsonObject result;
    for (const auto& member : *object) {
      if (!member.value().is_null()) result.emplace(member.key(), WithoutNulls(member.value()));
    }
    return result;
  }
  if (const auto* array = value.if_array()) {
    JsonArray result;
    for (const Json& element : *array) result.push_back(WithoutNulls(element));
    return result;
  }
  return value;
}

std::expected<void, std::string> CheckObject(const FieldContext& context, const JsonObject& object);

std::expected<void, std::string> CheckList(const FieldContext& list, const FieldRule& rule,
                                           const JsonArray& array) {
  std::set<std::string> seen;
  for (const Json& element : array) {
    auto id = ElementOf(element, rule);
    if (!id) {
      return std::unexpected("an element of " + std::string(rule.field) + " lacks its key \"" +
                             std::string(rule.apply_keys.front()) +
                             "\": " + boost::json::serialize(element));
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
                                             const JsonObject& object) {
  for (const auto& [name, value] : object) {
    std::expected<void, std::string> outcome;
    switch (GranularityOf(context, name, value)) {
      case Granularity::kValue:
        break;
      case Granularity::kMembers:
        outcome = CheckObject(context.Member(name), value.get_object());
        break;
      default:
        outcome = CheckList(context.Member(name), *context.ListRule(name), value.get_array());
    }
    if (!outcome) return outcome;
  }
  return {};
}

using Positions = std::unordered_map<std::string, size_t>;

Positions PositionsOf(const JsonArray& array, const FieldRule& rule) {
  Positions positions;
  for (size_t i = 0; i < array.size(); ++i) {
    if (auto id = ElementOf(array[i], rule)) positions.emplace(*std::move(id), i);
  }
  return positions;
}

Json MergeElement(const FieldContext& list, const FieldRule& rule, Json live, const Json& config) {
  if (rule.apply != FieldRule::Apply::kMap || !live.is_object()) return config;
  MergeConfig(list, live.get_object(), config.get_object());
  return live;
}

JsonArray MergeLists(const FieldContext& list, const FieldRule& rule, const JsonArray& live,
                     const JsonArray& config) {
  const Positions in_live = PositionsOf(live, rule);
  const Positions in_config = PositionsOf(config, rule);
  JsonArray merged;
  size_t next = 0;
  // Elements that only the live list has go before the next one that both have.
  const auto take_others = [&] {
    for (; next < live.size(); ++next) {
      const auto id = ElementOf(live[next], rule);
      if (id && in_config.contains(*id)) break;
      merged.push_back(live[next]);
    }
  };
  for (const Json& element : config) {
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

void RemoveElements(const FieldContext& list, const FieldRule& rule, JsonArray& array,
                    const FieldSet& last, const FieldSet& keep) {
  JsonArray kept;
  for (Json& element : array) {
    const auto id = ElementOf(element, rule);
    const FieldSet* mine = id ? last.Find(*id) : nullptr;
    if (mine != nullptr) {
      const FieldSet* claimed = keep.Find(*id);
      if (claimed == nullptr) continue;
      if (rule.apply == FieldRule::Apply::kMap) {
        RemoveUnclaimed(list, element.get_object(), *mine, *claimed);
      }
    }
    kept.push_back(std::move(element));
  }
  array = std::move(kept);
}

}  // namespace

std::expected<JsonObject, std::string> CheckedConfig(const FieldContext& context,
                                                     const JsonObject& config) {
  JsonObject result = WithoutNulls(config).get_object();
  if (auto outcome = CheckObject(context, result); !outcome) {
    return std::unexpected(std::move(outcome.error()));
  }
  return result;
}

void MergeConfig(const FieldContext& context, JsonObject& live, const JsonObject& config) {
  for (const auto& [name, value] : config) {
    Json* current = live.if_contains(name);
    const Granularity granularity = GranularityOf(context, name, value);
    if (current == nullptr || granularity == Granularity::kValue ||
        granularity != GranularityOf(context, name, *current)) {
      live.insert_or_assign(name, value);
    } else if (granularity == Granularity::kMembers) {
      MergeConfig(context.Member(name), current->get_object(), value.get_object());
    } else {
      *current = MergeLists(context.Member(name), *context.ListRule(name), current->get_array(),
                            value.get_array());
    }
  }
}

void RemoveUnclaimed(const FieldContext& context, JsonObject& object, const FieldSet& last,
                     const FieldSet& keep) {
  for (const auto& [element, mine] : last.children()) {
    if (!element.starts_with("f:")) continue;
    const std::string name = element.substr(2);
    Json* value = object.if_contains(name);
    if (value == nullptr) continue;
    static const FieldSet kNothing;
    const FieldSet* claimed = keep.Find(element);
    if (claimed == nullptr) {
      const bool is_metadata = context.field.empty() && name == "metadata";
      if (!is_metadata) {
        EraseMember(object, name);
        continue;
      }
      claimed = &kNothing;
    }
    switch (GranularityOf(context, name, *value)) {
      case Granularity::kValue:
        break;
      case Granularity::kMembers:
        RemoveUnclaimed(context.Member(name), value->get_object(), mine, *claimed);
        break;
      default:
        RemoveElements(context.Member(name), *context.ListRule(name), value->get_array(), mine,
                       *claimed);
    }
  }
}

}  // namespace berth::apiserver
