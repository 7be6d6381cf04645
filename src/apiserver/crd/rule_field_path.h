// The fieldPath of a rule: which field its errors are about, relative to the rule's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::apiserver::crd {

struct Schema;

// Returns the path as errors have it: ".spec['a.b'].c" is "spec.a.b.c", and "spec[a.b].c" if spec
// is a map. nullopt if it is no path of fields in `schema`.
std::optional<std::string> ReadFieldPath(std::string_view text, const Schema& schema);

}  // namespace berth::apiserver::crd
