#include "cel/identified_lists.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cel/containers.h"

namespace berth::cel {
namespace {

// Appends a text that only equal values have, except that data which expressions cannot read counts
// for nothing.
void AppendIdentity(Evaluation& evaluation, const Value& value, std::string& out) {
  if (!evaluation.Spend(1) || !evaluation.SpendOnText(value)) return;
  const auto append = [&](char kind, std::string_view text) {
    out += kind;
    out += std::to_string(text.size());
    out += ':';
    out += text;
  };
  switch (value.kind()) {
    case Kind::kString:
      return append('s', value.text());
    case Kind::kBytes:
      return append('b', value.text());
    case Kind::kTimestamp:
      return append('t', std::to_string(value.timestamp().seconds) + '.' +
                             std::to_string(value.timestamp().nanos));
    case Kind::kDuration:
      return append('d', std::to_string(value.nanos()));
    case Kind::kList:
      out += '[';
      for (const Value& item : value.items()) AppendIdentity(evaluation, item, out);
      out += ']';
      return;
    case Kind::kMap: {
      std::vector<std::string> entries;
      for (const MapEntry& entry : Entries(value)) {
        AppendIdentity(evaluation, entry.key, entries.emplace_back());
        AppendIdentity(evaluation, entry.value, entries.back());
      }
      std::ranges::sort(entries);
      out += '{';
      for (const std::string& entry : entries) out += entry;
      out += '}';
      return;
    }
    default:
      return append('v', DescribeValue(value));
  }
}

std::string IdentityOf(Evaluation& evaluation, const ListIdentity& identity, const Value& item) {
  std::string text;
  if (identity.key_fields.empty()) {
    AppendIdentity(evaluation, item, text);
    return text;
  }
  for (const std::string_view field : identity.key_fields) {
    const Value* value = item.is(Kind::kMap) ? FindEntry(item, Value::String(field)) : nullptr;
    AppendIdentity(evaluation, value != nullptr ? *value : Value(), text);
  }
  return text;
}

using ItemPositions = std::unordered_map<std::string, uint32_t>;

// Returns the positions of the items by their identity; of equal ones the last.
ItemPositions ItemPositionsOf(Evaluation& evaluation, const ListIdentity& identity,
                              const Value& list) {
  ItemPositions index;
  for (uint32_t i = 0; i < list.size() && !evaluation.aborted(); ++i) {
    index[IdentityOf(evaluation, identity, list.items()[i])] = i;
  }
  return index;
}

}  // namespace

Equality EqualIdentified(Evaluation& evaluation, const Value& a, const Value& b) {
  if (a.size() != b.size()) return Equality::kFalse;
  const ListIdentity& identity = *a.list()->identity;
  const ItemPositions index = ItemPositionsOf(evaluation, identity, a);
  for (const Value& item : b.items()) {
    const auto found = index.find(IdentityOf(evaluation, identity, item));
    if (found == index.end() || evaluation.aborted()) return Equality::kFalse;
    const Equality equal = Equal(evaluation, a.items()[found->second], item);
    if (equal != Equality::kTrue) return equal;
  }
  return Equality::kTrue;
}

Value JoinIdentified(Evaluation& evaluation, const Value& a, const Value& b) {
  const ListIdentity& identity = *a.list()->identity;
  const bool is_map = !identity.key_fields.empty();
  ItemPositions index = ItemPositionsOf(evaluation, identity, a);
  std::vector<Value> items(a.items().begin(), a.items().end());
  for (const Value& item : b.items()) {
    const auto [known, added] = index.try_emplace(IdentityOf(evaluation, identity, item),
                                                  static_cast<uint32_t>(items.size()));
    if (evaluation.aborted()) break;
    if (added) {
      items.push_back(item);
    } else if (is_map && known->second < a.size()) {
      items[known->second] = item;
    }
  }
  Value* copy = nullptr;
  const auto size = static_cast<uint32_t>(items.size());
  MakeList(evaluation.arena(), size, copy);
  std::ranges::copy(items, copy);
  return Value::List(
      evaluation.arena().New<ListData>(ListData{copy, size, size, a.list()->identity}), size);
}

}  // namespace berth::cel
