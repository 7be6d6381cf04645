#include "patch/strategic_lists.h"

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::apiserver {
namespace {

using Positions = std::unordered_map<std::string, size_t>;

Positions PositionsOf(const JsonArray& list, std::string_view key) {
  Positions positions;
  for (const Json& element : list) {
    if (auto identity = IdentityOf(element, key)) {
      positions.emplace(*std::move(identity), positions.size());
    }
  }
  return positions;
}

struct Placed {
  Json element;
  std::optional<size_t> in_order;     // Its position in the order asked for.
  std::optional<size_t> in_original;  // Its position before the patch.
};

std::optional<size_t> Find(const Positions& positions, const std::optional<std::string>& identity) {
  if (!identity) return std::nullopt;
  const auto found = positions.find(*identity);
  return found == positions.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<std::string> IdentityOf(const Json& element, std::string_view key) {
  if (key.empty()) return boost::json::serialize(element);
  const auto* object = element.if_object();
  const Json* value = object != nullptr ? object->if_contains(key) : nullptr;
  if (value == nullptr || value->is_null()) return std::nullopt;
  return boost::json::serialize(*value);
}

JsonArray InOrder(JsonArray merged, const JsonArray& order, const JsonArray& original,
                  std::string_view key) {
  const Positions wanted = PositionsOf(order, key);
  const Positions before = PositionsOf(original, key);
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (Json& element : merged) {
    const auto identity = IdentityOf(element, key);
    Placed placed{std::move(element), Find(wanted, identity), Find(before, identity)};
    (placed.in_order ? named : others).push_back(std::move(placed));
  }
  std::ranges::stable_sort(named, {}, &Placed::in_order);

  JsonArray result;
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

}  // namespace berth::apiserver
