// The names of properties as CEL identifiers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::apiserver::crd {

// Returns the identifier by which rules refer to a property: "a-b" is a__dash__b, "namespace" is
// __namespace__. nullopt if there is none, so that rules cannot see the property.
std::optional<std::string> EscapedName(std::string_view name);

// Whether the word is reserved in CEL: as a field it may be written as it is, or escaped.
bool IsReservedWord(std::string_view name);

}  // namespace berth::apiserver::crd
