// Strategic merge patch: ApplyStrategicPatch of patches.h.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/scheme/api_error.h"
#include "apiserver/patch/merge_keys.h"
#include "apiserver/patch/patches.h"

namespace berth::apiserver::patch {
namespace {

// Work counts the elements and members that are compared, in bytes. A patch may name the same
// element many times, and each time all lists and members of that element are read: without a limit
// it costs its size times that of the object.
class Work {
 public:
  void Add(size_t bytes) { spent_ += kPerElement + bytes; }
  void AddMembers(const api::JsonObject& object) {
    for (const auto& member : object) Add(member.key().size());
  }
  bool exceeded() const { return spent_ > kMax; }

 private:
  static constexpr size_t kPerElement = 16;
  // Twice as much as the largest patch without repetitions needs for the largest object.
  static constexpr size_t kMax = 32 << 20;

  size_t spent_ = 0;
};

// Returns the identity of `element` in a merged list: the value of its field `key`, or the element
// itself if `key` is empty (lists of primitive values); nullopt if it has no such field.
std::optional<std::string> IdentityOf(const api::Json& element, std::string_view key, Work& work) {
  const auto* object = element.if_object();
  const api::Json* value = &element;
  if (!key.empty()) value = object != nullptr ? object->if_contains(key) : nullptr;
  if (value == nullptr || (value->is_null() && !key.empty())) return std::nullopt;
  std::string text = api::ToJsonText(*value);
  work.Add(text.size());
  return text;
}

// Ordered, since the keys of a hash table could be chosen to collide.
using Positions = std::map<std::string, size_t>;

Positions PositionsOf(const api::JsonArray& list, std::string_view key, Work& work) {
  Positions positions;
  for (const api::Json& element : list) {
    if (auto identity = IdentityOf(element, key, work)) {
      positions.emplace(*std::move(identity), positions.size());
    }
  }
  return positions;
}

struct Placed {
  api::Json element;
  std::optional<size_t> in_order;     // Its position in the requested order.
  std::optional<size_t> in_original;  // Its position before the patch.
};

std::optional<size_t> Find(const Positions& positions, const std::optional<std::string>& identity) {
  if (!identity) return std::nullopt;
  const auto found = positions.find(*identity);
  return found == positions.end() ? std::nullopt : std::optional(found->second);
}

// Sorts the elements of `merged`: those in `order` follow it; the others retain their order, and
// their position relative to ordered ones as in `before`, the positions in the original.
api::JsonArray InOrder(api::JsonArray merged, const api::JsonArray& order, const Positions& before,
                       std::string_view key, Work& work) {
  const Positions wanted = PositionsOf(order, key, work);
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (api::Json& element : merged) {
    const auto identity = IdentityOf(element, key, work);
    Placed placed{std::move(element), Find(wanted, identity), Find(before, identity)};
    (placed.in_order ? named : others).push_back(std::move(placed));
  }
  std::ranges::stable_sort(named, {}, &Placed::in_order);

  api::JsonArray result;
  result.reserve(merged.size());
  auto other = others.begin();
  for (Placed& next : named) {
    while (other != others.end() && other->in_original && next.in_original &&
           *other->in_original < *next.in_original) {
      result.push_back(std::move((other++)->element));
    }
    result.push_back(std::move(next.element));
  }
  for (; other != others.end(); ++other) result.push_back(std::move(other->element));
  return result;
}

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";
constexpr std::string_view kSetOrder = "$setElementOrder/";

using Outcome = std::expected<void, api::scheme::ApiError>;

Outcome Malformed(const std::string& message) {
  return std::unexpected(
      api::scheme::MalformedPatch("the strategic merge patch is malformed: " + message));
}

Outcome TooExpensive() {
  return std::unexpected(api::scheme::UnprocessablePatch(
      "the strategic merge patch names the same elements of large lists too often"));
}

bool IsDirective(std::string_view key) {
  return key == kPatch || key == kRetainKeys || key.starts_with(kDeleteFrom) ||
         key.starts_with(kSetOrder);
}

// Returns the value of "$patch"; empty if there is none.
std::string_view DirectiveOf(const api::Json& value) {
  const auto* object = value.if_object();
  const api::Json* directive = object != nullptr ? object->if_contains(kPatch) : nullptr;
  if (directive == nullptr) return "";
  return directive->is_string() ? std::string_view(directive->get_string()) : "not a string";
}

bool IsKnownDirective(std::string_view directive) {
  return directive.empty() || directive == "delete" || directive == "replace" ||
         directive == "merge";
}

// Returns the value that a patch sets where there was none: without nulls and directives. Returns
// nullopt if the patch only deletes.
std::optional<api::Json> PlainValue(const api::Json& patch) {
  if (DirectiveOf(patch) == "delete") return std::nullopt;
  if (const auto* object = patch.if_object()) {
    api::JsonObject plain;
    for (const auto& member : *object) {
      if (IsDirective(member.key()) || member.value().is_null()) continue;
      if (auto value = PlainValue(member.value())) plain.emplace(member.key(), *std::move(value));
    }
    return plain;
  }
  if (const auto* array = patch.if_array()) {
    api::JsonArray plain;
    for (const api::Json& element : *array) {
      const bool only_directive = !DirectiveOf(element).empty() && element.get_object().size() == 1;
      if (only_directive) continue;
      if (auto value = PlainValue(element)) plain.push_back(*std::move(value));
    }
    return plain;
  }
  return patch;
}

class StrategicMerge {
 public:
  explicit StrategicMerge(std::string kind) : kind_(std::move(kind)) {}

  // Merges `patch` into `original`. `field` is the name of the field that holds `original`; empty
  // for the document.
  Outcome MergeObject(api::JsonObject& original, const api::JsonObject& patch,
                      std::string_view field);

 private:
  Outcome RetainKeys(api::JsonObject& original, const api::JsonObject& patch);
  Outcome DeleteValues(api::JsonObject& original, std::string_view key, const api::Json& values);
  Outcome MergeMember(api::JsonObject& original, const api::JsonObject& patch,
                      std::string_view field, std::string_view key, const api::Json& change);
  Outcome MergeList(api::JsonArray& original, const api::JsonArray& patch, const FieldRule& rule);
  Outcome MergeByKey(api::JsonArray& original, const api::JsonArray& patch, const FieldRule& rule);
  // Sorts the list `key` by `order`. `before` is the list before the patch; null if unchanged.
  Outcome SetOrder(api::JsonObject& original, const Positions* before, std::string_view field,
                   std::string_view key, const api::Json& order);

  std::string kind_;
  Work work_;
};

// Removes the members that "$retainKeys" does not list. It must list every member that the patch
// sets.
Outcome StrategicMerge::RetainKeys(api::JsonObject& original, const api::JsonObject& patch) {
  const api::Json* directive = patch.if_contains(kRetainKeys);
  if (directive == nullptr) return {};
  const auto* list = directive->if_array();
  if (list == nullptr) return Malformed("$retainKeys is not a list");
  std::set<std::string_view> retained;
  for (const api::Json& key : *list) {
    if (!key.is_string()) return Malformed("$retainKeys has an element that is not a string");
    retained.emplace(key.get_string());
  }
  for (const auto& member : patch) {
    if (IsDirective(member.key()) || member.value().is_null()) continue;
    if (!retained.contains(member.key())) {
      return Malformed("the patch sets \"" + std::string(member.key()) +
                       "\", which $retainKeys does not name");
    }
  }
  work_.AddMembers(original);
  api::EraseMembersIf(original,
                      [&](const auto& member) { return !retained.contains(member.key()); });
  return {};
}

Outcome StrategicMerge::DeleteValues(api::JsonObject& original, std::string_view key,
                                     const api::Json& values) {
  const auto* unwanted = values.if_array();
  if (unwanted == nullptr) {
    return Malformed(std::string(kDeleteFrom) + std::string(key) + " is not a list");
  }
  api::Json* member = original.if_contains(key);
  auto* list = member != nullptr ? member->if_array() : nullptr;
  if (list == nullptr) return {};
  std::set<std::string> identities;
  for (const api::Json& value : *unwanted) identities.insert(api::ToJsonText(value));
  api::JsonArray remaining;
  for (api::Json& value : *list) {
    if (!identities.contains(*IdentityOf(value, "", work_))) remaining.push_back(std::move(value));
  }
  *list = std::move(remaining);
  return {};
}

Outcome StrategicMerge::MergeObject(api::JsonObject& original, const api::JsonObject& patch,
                                    std::string_view field) {
  if (work_.exceeded()) return TooExpensive();
  if (const api::Json* directive = patch.if_contains(kPatch)) {
    const std::string text =
        directive->is_string() ? std::string(std::string_view(directive->get_string())) : "";
    if (text == "delete") {
      original.clear();
      return {};
    }
    if (text == "replace") {
      original = PlainValue(patch)->get_object();
      return {};
    }
    if (text != "merge") return Malformed("$patch is " + api::ToJsonText(*directive));
  }
  if (auto outcome = RetainKeys(original, patch); !outcome) return outcome;
  for (const auto& [prefixed, values] : patch) {
    if (!prefixed.starts_with(kDeleteFrom)) continue;
    const std::string_view key = std::string_view(prefixed).substr(kDeleteFrom.size());
    if (auto outcome = DeleteValues(original, key, values); !outcome) return outcome;
  }
  const auto is_null = [](const auto& change) { return change.value().is_null(); };
  if (std::ranges::any_of(patch, is_null)) {
    work_.AddMembers(original);
    EraseNulled(original, patch);
  }
  for (const auto& [key, change] : patch) {
    if (IsDirective(key) || change.is_null()) continue;
    if (auto outcome = MergeMember(original, patch, field, key, change); !outcome) return outcome;
  }
  // Lists of which the patch changes only the order.
  for (const auto& [prefixed, order] : patch) {
    if (!prefixed.starts_with(kSetOrder)) continue;
    const std::string_view key = std::string_view(prefixed).substr(kSetOrder.size());
    if (patch.contains(key)) continue;
    if (auto outcome = SetOrder(original, nullptr, field, key, order); !outcome) return outcome;
  }
  return {};
}

Outcome StrategicMerge::MergeMember(api::JsonObject& original, const api::JsonObject& patch,
                                    std::string_view field, std::string_view key,
                                    const api::Json& change) {
  api::Json* current = original.if_contains(key);
  if (current != nullptr && current->is_object() && change.is_object() &&
      !PatchReplacesObject(kind_, field, key)) {
    return MergeObject(current->get_object(), change.get_object(), key);
  }
  const std::string order_key = std::string(kSetOrder) + std::string(key);
  const api::Json* order = change.is_array() ? patch.if_contains(order_key) : nullptr;
  const FieldRule* rule = change.is_array() ? FindListRule(kind_, field, key) : nullptr;
  Positions before;
  if (order != nullptr && rule != nullptr && current != nullptr && current->is_array()) {
    before = PositionsOf(current->get_array(), rule->patch_key, work_);
  }
  if (current != nullptr && current->is_array() && rule != nullptr &&
      rule->patch != FieldRule::Patch::kReplace) {
    if (auto outcome = MergeList(current->get_array(), change.get_array(), *rule); !outcome) {
      return outcome;
    }
  } else if (auto plain = PlainValue(change)) {
    original.insert_or_assign(key, *std::move(plain));
  } else {
    api::EraseMember(original, key);
  }
  return order != nullptr ? SetOrder(original, &before, field, key, *order) : Outcome();
}

Outcome StrategicMerge::MergeList(api::JsonArray& original, const api::JsonArray& patch,
                                  const FieldRule& rule) {
  const Positions before = PositionsOf(original, rule.patch_key, work_);
  if (work_.exceeded()) return TooExpensive();
  if (rule.patch == FieldRule::Patch::kMergeValues) {
    std::set<std::string> present;
    api::JsonArray merged;
    const auto add = [&](api::Json value) {
      if (present.insert(*IdentityOf(value, "", work_)).second) merged.push_back(std::move(value));
    };
    for (api::Json& value : original) add(std::move(value));
    for (const api::Json& value : patch) add(value);
    original = std::move(merged);
  } else if (auto outcome = MergeByKey(original, patch, rule); !outcome) {
    return outcome;
  }
  original = InOrder(std::move(original), patch, before, rule.patch_key, work_);
  return {};
}

Outcome StrategicMerge::MergeByKey(api::JsonArray& original, const api::JsonArray& patch,
                                   const FieldRule& rule) {
  const std::string field(rule.field);
  std::set<std::string> deleted;
  bool replace = false;
  for (const api::Json& change : patch) {
    if (!change.is_object()) return Malformed(field + " has an element that is not an object");
    const std::string_view directive = DirectiveOf(change);
    if (!IsKnownDirective(directive)) {
      return Malformed("$patch is " + api::ToJsonText(change.get_object().at(kPatch)));
    }
    if (directive == "replace") replace = true;
    if (directive == "replace" && change.get_object().size() == 1) continue;
    const auto identity = IdentityOf(change, rule.patch_key, work_);
    if (!identity) {
      return Malformed("an element of " + field + " lacks its key \"" +
                       std::string(rule.patch_key) + "\": " + api::ToJsonText(change));
    }
    if (directive == "delete") deleted.insert(*identity);
  }
  api::JsonArray merged;
  Positions positions;
  for (api::Json& element : original) {
    if (replace) break;
    if (auto identity = IdentityOf(element, rule.patch_key, work_)) {
      if (deleted.contains(*identity)) continue;
      positions.emplace(*std::move(identity), merged.size());
    }
    merged.push_back(std::move(element));
  }
  for (const api::Json& change : patch) {
    const std::string_view directive = DirectiveOf(change);
    if (directive == "delete" || directive == "replace") continue;
    const auto [position, added] =
        positions.emplace(*IdentityOf(change, rule.patch_key, work_), merged.size());
    if (added) {
      merged.push_back(*PlainValue(change));
      continue;
    }
    auto outcome =
        MergeObject(merged[position->second].get_object(), change.get_object(), rule.field);
    if (!outcome) return outcome;
  }
  original = std::move(merged);
  return {};
}

Outcome StrategicMerge::SetOrder(api::JsonObject& original, const Positions* before,
                                 std::string_view field, std::string_view key,
                                 const api::Json& order) {
  const auto* list = order.if_array();
  if (list == nullptr) {
    return Malformed(std::string(kSetOrder) + std::string(key) + " is not a list");
  }
  const FieldRule* rule = FindListRule(kind_, field, key);
  api::Json* member = original.if_contains(key);
  if (rule == nullptr || rule->patch == FieldRule::Patch::kReplace) return {};
  if (member == nullptr || !member->is_array()) return {};
  api::JsonArray& merged = member->get_array();
  const Positions unchanged =
      before == nullptr ? PositionsOf(merged, rule->patch_key, work_) : Positions();
  merged = InOrder(std::move(merged), *list, before == nullptr ? unchanged : *before,
                   rule->patch_key, work_);
  return {};
}

}  // namespace

api::scheme::ApiResult<api::Json> ApplyStrategicPatch(api::Json document, const api::Json& patch) {
  const auto* changes = patch.if_object();
  if (changes == nullptr) {
    return std::unexpected(api::scheme::MalformedPatch("a strategic merge patch is an object"));
  }
  if (!document.is_object()) document = api::JsonObject();
  api::JsonObject& object = document.get_object();
  const api::Json* kind = object.if_contains("kind");
  const std::string name =
      kind != nullptr && kind->is_string() ? std::string(std::string_view(kind->get_string())) : "";
  if (auto outcome = StrategicMerge(name).MergeObject(object, *changes, ""); !outcome) {
    return std::unexpected(std::move(outcome.error()));
  }
  return document;
}

}  // namespace berth::apiserver::patch
