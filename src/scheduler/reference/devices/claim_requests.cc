#include "scheduler/reference/devices/claim_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/saturating.h"
#include "scheduler/reference/devices/device_capacity.h"
#include "scheduler/reference/devices/device_features.h"

namespace berth::scheduler::reference {
namespace {

std::string Prefix(const WantedDevices& wanted) {
  return fmt::format("claim {}, request {}", NameOf(*wanted.claim), wanted.OwnName());
}

// Finds all devices that match, whether they are in use or not.
Status FindAllDevices(NodeDevices& devices, Alternative& wanted) {
  for (const DevicePool& pool : devices.pools()) {
    if (pool.state != DevicePool::State::kUsable) {
      const bool incomplete = pool.state == DevicePool::State::kIncomplete;
      return Fail(fmt::format("{}: asks for all devices, but resource pool {} is currently {}",
                              Prefix(wanted), pool.ToString(),
                              incomplete ? "being updated" : "invalid"));
    }
    for (const DeviceCandidate& candidate : devices.candidates()) {
      if (candidate.pool != &pool) continue;
      const auto selectable = devices.IsSelectable(wanted, candidate);
      if (!selectable) return std::unexpected(selectable.error());
      if (!*selectable) continue;
      if (devices.features().dra_consumable_capacity) {
        const auto in_use = devices.allocated().capacity.find(candidate.id());
        const bool none = in_use == devices.allocated().capacity.end();
        if (!FitsCapacity(*candidate.device, *wanted.wanted,
                          none ? api::QuantityMap{} : in_use->second)) {
          continue;
        }
      }
      wanted.all_devices.push_back(candidate);
    }
  }
  return {};
}

Status Check(NodeDevices& devices, Alternative& wanted) {
  const api::DeviceSubRequest& request = *wanted.wanted;
  for (size_t i = 0; i < request.selectors.size(); ++i) {
    if (!request.selectors[i].cel_expression) {
      return Fail(fmt::format("{}, selector #{}: CEL expression empty (unsupported selector type?)",
                              Prefix(wanted), i));
    }
  }
  if (request.device_class_name.empty()) {
    return Fail(
        fmt::format("{}: missing device class name (unsupported request type?)", Prefix(wanted)));
  }
  wanted.device_class = Find(devices.snapshot().device_classes, request.device_class_name);
  if (wanted.device_class == nullptr) {
    return Fail(fmt::format(
        "{0}: could not retrieve device class {1}: deviceclass.resource.k8s.io \"{1}\" not found",
        Prefix(wanted), request.device_class_name));
  }
  wanted.all = request.allocation_mode == "All";
  if (wanted.all) {
    const Status found = FindAllDevices(devices, wanted);
    wanted.need = std::ssize(wanted.all_devices);
    return found;
  }
  if (request.allocation_mode != "ExactCount") {
    return Fail(
        fmt::format("{}: unsupported count mode {}", Prefix(wanted), request.allocation_mode));
  }
  wanted.need = request.count;
  return {};
}

// Returns an error if the request needs a feature that is off.
Status CheckFeatures(const api::ResourceClaim& claim, const api::DeviceRequest& request,
                     const model::Features& features) {
  if (!features.dra_prioritized_list && !request.first_available.empty()) {
    return Fail(fmt::format(
        "claim {}, request {}: has subrequests, but the DRAPrioritizedList feature is disabled",
        NameOf(claim), request.name));
  }
  if (features.dra_consumable_capacity || UsesStableAllocator(features)) return {};
  const auto disabled = [&](std::string_view what, const std::string& name) {
    return Fail(fmt::format(
        "claim {}, {} {}: has capacity requests, but the DRAConsumableCapacity feature is disabled",
        NameOf(claim), what, name));
  };
  if (request.exactly && request.exactly->capacity_requests)
    return disabled("request", request.name);
  for (const api::DeviceSubRequest& alternative : request.first_available) {
    if (alternative.capacity_requests) return disabled("subrequest", alternative.name);
  }
  return {};
}

Result<ClaimRequests::Request> CheckRequest(const api::ResourceClaim& claim,
                                            const api::DeviceRequest& request,
                                            NodeDevices& devices) {
  if (const Status status = CheckFeatures(claim, request, devices.features()); !status)
    return std::unexpected(status.error());
  ClaimRequests::Request checked;
  checked.first_available = !request.first_available.empty();
  const auto add = [&](const api::DeviceSubRequest& wanted, std::string name) {
    Alternative alternative;
    alternative.claim = &claim;
    alternative.wanted = &wanted;
    alternative.request = request.name;
    alternative.alternative = std::move(name);
    const Status status = Check(devices, alternative);
    checked.alternatives.push_back(std::move(alternative));
    return status;
  };
  if (!checked.first_available) {
    // Requests without either do not get here.
    const Status status = add(*request.exactly, "");
    if (!status) return std::unexpected(status.error());
    return checked;
  }
  for (const api::DeviceSubRequest& alternative : request.first_available) {
    const Status status = add(alternative, alternative.name);
    if (!status) return std::unexpected(status.error());
  }
  return checked;
}

}  // namespace

Result<ClaimRequests> CheckRequests(const api::ResourceClaim& claim, NodeDevices& devices) {
  ClaimRequests checked{.claim = &claim, .requests = {}};
  int64_t fewest = 0;
  for (const api::DeviceRequest& request : claim.spec.requests) {
    auto one = CheckRequest(claim, request, devices);
    if (!one) return std::unexpected(one.error());
    const auto need = std::ranges::min_element(one->alternatives, {}, &Alternative::need)->need;
    fewest = SaturatingAdd(fewest, need);
    checked.requests.push_back(*std::move(one));
  }
  if (fewest > kMaxDevicesPerClaim) {
    return Fail(
        fmt::format("claim {}: number of requested devices {} exceeds the claim limit of "
                    "{}",
                    NameOf(claim), fewest, kMaxDevicesPerClaim));
  }
  const auto& constraints = claim.spec.constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    const bool known = constraints[i].match_attribute || (constraints[i].distinct_attribute &&
                                                          !UsesStableAllocator(devices.features()));
    if (!known) {
      return Fail(
          fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint "
                      "type?)",
                      NameOf(claim), i));
    }
  }
  return checked;
}

}  // namespace berth::scheduler::reference
