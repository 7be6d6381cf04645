#include "apiserver/patch/patches.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/json/document.h"
#include "api/scheme/api_error.h"

namespace berth::apiserver::patch {

api::scheme::ApiResult<PatchType> PatchTypeOf(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (type == "application/json-patch+json") return PatchType::kJson;
  if (type == "application/merge-patch+json") return PatchType::kMerge;
  if (type == "application/strategic-merge-patch+json") return PatchType::kStrategic;
  if (type == "application/apply-patch+yaml") return PatchType::kApply;
  return std::unexpected(api::scheme::MakeError(
      415,
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json-patch+json, application/merge-patch+json, "
      "application/strategic-merge-patch+json, application/apply-patch+yaml"));
}

void EraseNulled(api::JsonObject& object, const api::JsonObject& patch) {
  const auto is_null = [](const auto& change) { return change.value().is_null(); };
  if (std::ranges::none_of(patch, is_null)) return;
  api::EraseMembersIf(object, [&](const auto& member) {
    const api::Json* change = patch.if_contains(member.key());
    return change != nullptr && change->is_null();
  });
}

api::Json ApplyMergePatch(api::Json document, const api::Json& patch) {
  const auto* changes = patch.if_object();
  if (changes == nullptr) return patch;
  if (!document.is_object()) document = api::JsonObject();
  api::JsonObject& object = document.get_object();
  EraseNulled(object, *changes);
  for (const auto& change : *changes) {
    if (change.value().is_null()) continue;
    api::Json& member = object[change.key()];
    member = ApplyMergePatch(std::move(member), change.value());
  }
  return document;
}

}  // namespace berth::apiserver::patch
