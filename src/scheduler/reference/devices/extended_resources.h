// Extended resources that are backed by a device class: a pod that requests one gets devices, by a
// claim that the scheduler makes up (the special claim).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

// The name of the special claim before it is created.
inline constexpr std::string_view kSpecialClaimName = "<extended-resources>";

using ClassByResource = std::map<std::string, api::Ref<api::DeviceClass>, std::less<>>;

// Returns the class of each resource that is backed by one: the mapping that the scheduler knows,
// or that of one that has just listed the classes by name.
ClassByResource ClassesByResource(const Snapshot& snapshot, const model::Features& features);

// Reports whether the name may be one of a resource that is backed by a class.
bool MayBeBackedByClass(std::string_view resource);

// Returns the special claim of an earlier attempt to schedule the pod, or nullptr.
const api::ResourceClaim* FindSpecialClaim(const Snapshot& snapshot, const api::Pod& pod);
// Returns a new special claim, without requests.
api::ResourceClaim MakeSpecialClaim(const api::Pod& pod);

// Returns the requests of the special claim for a node where these resources are backed by classes.
std::vector<api::DeviceRequest> RequestsOfSpecialClaim(const api::Pod& pod,
                                                       const std::set<std::string>& resources,
                                                       const ClassByResource& classes);

}  // namespace berth::scheduler::reference
