#include "cmd/json_difference.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth {

using config::JsonValue;

void CompareJson(std::string_view path, const JsonValue& expected, const JsonValue& came,
                 Differences& differences) {
  if (expected.kind != came.kind || expected.boolean != came.boolean ||
      expected.text != came.text || expected.items.size() != came.items.size()) {
    differences.push_back(
        {std::string(path), config::ToJsonText(expected), config::ToJsonText(came)});
    return;
  }
  for (size_t i = 0; i < expected.items.size(); ++i) {
    CompareJson(fmt::format("{}[{}]", path, i), expected.items[i], came.items[i], differences);
  }
  for (const config::JsonMember& member : expected.members) {
    const std::string below = fmt::format("{}.{}", path, member.name);
    if (const JsonValue* found = came.Find(member.name)) {
      CompareJson(below, member.value, *found, differences);
    } else {
      differences.push_back({below, config::ToJsonText(member.value), "(none)"});
    }
  }
  for (const config::JsonMember& member : came.members) {
    if (expected.Find(member.name) != nullptr) continue;
    differences.push_back(
        {fmt::format("{}.{}", path, member.name), "(none)", config::ToJsonText(member.value)});
  }
}

}  // namespace berth
