#include "localcluster/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "apiserver/store/codec.h"

namespace berth::localcluster {

PodClaims PodClaims::Of(const JsonObject& pod) {
  const JsonObject* spec = ObjectAt(&pod, "spec");
  const JsonObject* status = ObjectAt(&pod, "status");
  PodClaims claims;
  claims.extended_resources =
      StringAt(ObjectAt(status, "extendedResourceClaimStatus"), "resourceClaimName");
  if (EmptyAt(spec, "resourceClaims")) return claims;
  const auto made = ObjectsAt(status, "resourceClaimStatuses");
  for (const JsonObject& fields : ObjectsAt(spec, "resourceClaims")) {
    Entry& entry = claims.entries.emplace_back();
    entry.name = StringAt(&fields, "name");
    entry.template_name = StringAt(&fields, "resourceClaimTemplateName");
    if (entry.template_name.empty()) {
      entry.claim = StringAt(&fields, "resourceClaimName");
      continue;
    }
    const auto found = std::ranges::find_if(
        made, [&](const JsonObject& one) { return StringAt(&one, "name") == entry.name; });
    if (found == made.end()) continue;
    const std::string_view name = StringAt(&found->get(), "resourceClaimName");
    entry.not_needed = name.empty();
    if (!name.empty()) entry.claim = name;
  }
  return claims;
}

bool IsDone(const JsonObject& pod) {
  const std::string_view phase = StringAt(ObjectAt(&pod, "status"), "phase");
  if (phase == "Succeeded" || phase == "Failed") return true;
  return At(ObjectAt(&pod, "metadata"), "deletionTimestamp") != nullptr &&
         StringAt(ObjectAt(&pod, "spec"), "nodeName").empty();
}

bool IsControlledBy(const JsonObject& object, std::string_view uid) {
  return StringAt(ControllerOf(ObjectAt(&object, "metadata")), "uid") == uid;
}

bool IsReservedFor(const JsonObject& claim, std::string_view uid) {
  const auto consumers = ObjectsAt(ObjectAt(&claim, "status"), "reservedFor");
  return std::ranges::any_of(
      consumers, [&](const JsonObject& consumer) { return StringAt(&consumer, "uid") == uid; });
}

namespace {

std::optional<std::string> UnpreparedClaim(const apiserver::store::Store& store,
                                           const JsonObject& pod, const std::string& name,
                                           bool is_generated) {
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  const std::string space(StringAt(metadata, "namespace"));
  const std::string_view uid = StringAt(metadata, "uid");
  const auto object = store.Get(ResourceClaims().collection, {space, name});
  if (!object) return fmt::format("could not find ResourceClaim \"{}/{}\"", space, name);
  const Json document = apiserver::store::Parse(*object);
  const JsonObject& claim = document.get_object();
  if (is_generated && !IsControlledBy(claim, uid)) {
    return fmt::format("ResourceClaim {0}/{1} was not created for Pod {0}/{2} (Pod is not owner)",
                       space, name, StringAt(metadata, "name"));
  }
  if (!IsReservedFor(claim, uid)) {
    return fmt::format("pod {} ({}) is not allowed to use ResourceClaim {} ({})",
                       StringAt(metadata, "name"), uid, name, object->uid);
  }
  if (ObjectAt(ObjectAt(&claim, "status"), "allocation") == nullptr)
    return fmt::format("ResourceClaim {}: not allocated", name);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> UnpreparedClaim(const apiserver::store::Store& store,
                                           const JsonObject& pod) {
  const PodClaims claims = PodClaims::Of(pod);
  for (const PodClaims::Entry& entry : claims.entries) {
    if (entry.not_needed) continue;
    if (!entry.claim) {
      const JsonObject* metadata = ObjectAt(&pod, "metadata");
      return fmt::format("pod \"{}/{}\": ResourceClaim not created yet",
                         StringAt(metadata, "namespace"), StringAt(metadata, "name"));
    }
    auto problem = UnpreparedClaim(store, pod, *entry.claim, !entry.template_name.empty());
    if (problem) return problem;
  }
  if (claims.extended_resources.empty()) return std::nullopt;
  return UnpreparedClaim(store, pod, claims.extended_resources, true);
}

}  // namespace berth::localcluster
