// Parts that the documents of /berth/v1 share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "api/json/json.h"
#include "api/meta.h"

namespace berth::inspect {

// Returns the beginning of a document of that kind.
inline api::JsonObject StartDocument(std::string_view kind) {
  return {{"apiVersion", "berth.dev/v1"}, {"kind", kind}};
}

inline api::JsonObject PodNameJson(std::string_view namespace_, std::string_view name) {
  return {{"namespace", namespace_}, {"name", name}};
}
inline api::JsonObject PodNameJson(const api::ObjectMeta& pod) {
  return PodNameJson(pod.namespace_, pod.name);
}

inline api::JsonArray TextsJson(const std::vector<std::string>& texts) {
  return api::JsonArray(texts.begin(), texts.end());
}

// Adds the member unless it is empty.
inline void AddText(api::JsonObject& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object.emplace(key, text);
}

// Returns an amount that browsers can represent: they read numbers as doubles.
inline int64_t Amount(int64_t amount) {
  constexpr int64_t kMax = (int64_t{1} << 53) - 1;
  return std::clamp(amount, -kMax, kMax);
}

}  // namespace berth::inspect
