#include "localcluster/endpoint_slice_plan.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "apiserver/store/codec.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

// The endpoints that are in no slice yet, by the uid of their pod, and their groups.
using Unplaced =
    std::unordered_map<std::string, std::pair<const ServiceEndpoint*, const EndpointGroup*>>;

// Plans an existing slice: its endpoints stay, unless they are gone or have other ports.
PlannedSlice PlanExisting(const apiserver::store::Object& object, const EndpointGroups& groups,
                          Unplaced& unplaced, size_t& steps) {
  const Json document = apiserver::store::Parse(object);
  const JsonArray* ports = ArrayAt(AsObject(document), "ports");
  const auto group = groups.find(ports ? CanonicalText(*ports) : "[]");
  PlannedSlice slice{.name = object.key};
  if (group == groups.end()) return slice;
  slice.group = &group->second;
  for (const JsonObject& endpoint : ObjectsAt(AsObject(document), "endpoints")) {
    ++steps;
    if (slice.endpoints.size() == kMaxInSlice) break;
    const auto found =
        unplaced.find(std::string(StringAt(ObjectAt(&endpoint, "targetRef"), "uid")));
    if (found == unplaced.end() || found->second.second != slice.group) continue;
    slice.endpoints.push_back(found->second.first);
    unplaced.erase(found);
  }
  return slice;
}

// Adds the unplaced endpoints to slices with room, and plans new slices for the rest.
void PlaceRest(const EndpointGroups& groups, const Unplaced& unplaced, SlicePlan& plan) {
  std::vector<PlannedSlice>& slices = plan.slices;
  std::unordered_map<const EndpointGroup*, std::vector<size_t>> with_room;
  for (size_t i = 0; i < slices.size(); ++i) {
    ++plan.steps;
    if (slices[i].endpoints.size() < kMaxInSlice) with_room[slices[i].group].push_back(i);
  }
  for (const auto& [text, group] : groups) {
    std::vector<size_t>& room = with_room[&group];
    for (const ServiceEndpoint& endpoint : group.endpoints) {
      ++plan.steps;
      if (!unplaced.contains(endpoint.pod->uid())) continue;
      if (room.empty()) {
        room.push_back(slices.size());
        slices.push_back({.name = std::nullopt, .group = &group});
      }
      PlannedSlice& slice = slices[room.back()];
      slice.endpoints.push_back(&endpoint);
      if (slice.endpoints.size() == kMaxInSlice) room.pop_back();
    }
    if (group.endpoints.empty() && room.empty()) {
      slices.push_back({.name = std::nullopt, .group = &group});
    }
  }
}

}  // namespace

SlicePlan PlanSlices(const EndpointGroups& groups,
                     std::span<const apiserver::store::ObjectPtr> existing) {
  SlicePlan plan;
  Unplaced unplaced;
  for (const auto& [text, group] : groups) {
    for (const ServiceEndpoint& endpoint : group.endpoints) {
      ++plan.steps;
      unplaced[endpoint.pod->uid()] = {&endpoint, &group};
    }
  }
  for (const apiserver::store::ObjectPtr& object : existing) {
    ++plan.steps;
    plan.slices.push_back(PlanExisting(*object, groups, unplaced, plan.steps));
  }
  PlaceRest(groups, unplaced, plan);
  return plan;
}

}  // namespace berth::localcluster
