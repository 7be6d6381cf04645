#include "admission/qos.h"

#include <array>

#include "api/quantity.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

constexpr std::array<std::string_view, 2> kCounted = {"cpu", "memory"};

bool IsPositive(const Json* value) {
  if (!value) return false;
  const auto quantity = api::Quantity::Parse(AsString(value));
  return quantity && quantity->Sign() > 0;
}

bool AreEqual(const Json* a, const Json* b) {
  const std::string_view left = AsString(a);
  const std::string_view right = AsString(b);
  if (left == right) return true;
  const auto x = api::Quantity::Parse(left);
  const auto y = api::Quantity::Parse(right);
  return x && y && *x == *y;
}

struct Claims {
  bool any = false;        // Something is requested or limited.
  bool guaranteed = true;  // All of it is requested and limited alike, for each container.
};

void Look(const JsonObject* resources, Claims& claims) {
  const JsonObject* requests = ObjectAt(resources, "requests");
  const JsonObject* limits = ObjectAt(resources, "limits");
  for (const std::string_view name : kCounted) {
    const Json* request = At(requests, name);
    const Json* limit = At(limits, name);
    const bool limited = IsPositive(limit);
    claims.any = claims.any || limited || IsPositive(request);
    claims.guaranteed = claims.guaranteed && limited && request && AreEqual(request, limit);
  }
}

}  // namespace

std::string_view QosClassOf(const JsonObject* pod_spec) {
  Claims claims;
  // Resources of the whole pod decide alone, if there are any.
  const JsonObject* whole = ObjectAt(pod_spec, "resources");
  if (!IsEmpty(At(whole, "requests")) || !IsEmpty(At(whole, "limits"))) {
    Look(whole, claims);
  } else {
    for (const std::string_view key : {"containers", "initContainers"}) {
      const JsonArray* containers = ArrayAt(pod_spec, key);
      for (size_t i = 0; containers && i < containers->size(); ++i) {
        Look(ObjectAt(AsObject((*containers)[i]), "resources"), claims);
      }
    }
  }
  if (!claims.any) return "BestEffort";
  return claims.guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace berth::apiserver
