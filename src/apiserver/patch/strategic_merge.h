// The order of lists that a strategic merge patch has merged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"

namespace berth::apiserver::patch {

// What identifies `element` in a merged list: the value of its field `key`, or the element itself
// if `key` is empty (lists of primitive values). Nothing if it is no object with that field.
std::optional<std::string> IdentityOf(const api::Json& element, std::string_view key);

// The elements of `merged` such that those which `order` names follow one another as there; the
// others keep their order, and their place before or after named ones as in `original`.
api::JsonArray InOrder(api::JsonArray merged, const api::JsonArray& order,
                       const api::JsonArray& original, std::string_view key);

}  // namespace berth::apiserver::patch
