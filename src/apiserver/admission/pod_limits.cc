#include "apiserver/admission/pod_limits.h"

#include <string>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/pod_resources.h"

namespace berth::apiserver::admission {

PodResources ResourcesOfPod(const api::JsonObject& pod, bool overhead) {
  const auto typed = api::DecodeJsonAs<api::Pod>(api::ToJsonText(pod));
  if (!typed) return {};
  api::Pod copy = **typed;
  const api::ResourceList more = copy.spec.overhead;
  if (!overhead) copy.spec.overhead.clear();
  PodResources resources{.requests = api::PodRequests(copy, {})};
  // Limits are summed like requests, but the overhead raises only limits that exist.
  copy.spec.overhead.clear();
  const auto use_limits = [](api::ResourceRequirements& own) { own.requests = own.limits; };
  for (api::Container& container : copy.spec.containers) use_limits(container.resources);
  for (api::Container& container : copy.spec.init_containers) use_limits(container.resources);
  if (copy.spec.resources) use_limits(*copy.spec.resources);
  resources.limits = api::PodRequests(copy, {});
  for (const auto& [name, amount] : more) {
    const auto limit = resources.limits.find(name);
    if (overhead && limit != resources.limits.end() && !limit->second.IsZero()) {
      limit->second += amount;
    }
  }
  return resources;
}

api::ResourceList QuantitiesOf(const api::JsonObject* amounts) {
  api::ResourceList list;
  if (!amounts) return list;
  for (const auto& [name, value] : *amounts) {
    auto amount = api::Quantity::Parse(api::AsString(value));
    if (amount) list.emplace(std::string(name), *std::move(amount));
  }
  return list;
}

}  // namespace berth::apiserver::admission
