// CompiledClaim is what a claim requests, compiled once for all claims with the same spec: its
// requests with their classes and selectors, and its constraints.
//
// What is wrong with a claim is found here and reported by the search, in kube-scheduler's order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_claim.h"
#include "scheduler/devices/gates.h"
#include "scheduler/devices/selectors.h"
#include "scheduler/devices/slice.h"

namespace berth::scheduler::devices {

using ClassRef = std::shared_ptr<const api::DeviceClass>;

// An error of an allocation. The name of the claim is not part of it, so that equal claims share
// it.
struct AllocationError {
  std::optional<size_t> claim;  // The message begins with "claim <namespace>/<name>".
  std::string text;
};

// An exact request, or one alternative of `firstAvailable`.
struct CompiledAlternative {
  const api::DeviceSubRequest* request = nullptr;
  std::string result_name;    // "request" or "request/alternative".
  std::string_view own_name;  // In messages.
  ClassRef device_class;      // Null if it does not exist.
  // A selector of an unknown kind is null.
  std::vector<std::shared_ptr<Selector>> class_selectors;
  std::vector<std::shared_ptr<Selector>> selectors;
  bool all_devices = false;  // Otherwise `request->count` of them.
  bool admin_access = false;
  // Why it cannot be allocated, behind "claim <namespace>/<name>".
  std::optional<std::string> error;
};

struct CompiledRequest {
  std::string name;
  bool has_alternatives = false;
  std::vector<CompiledAlternative> alternatives;  // One if it has no alternatives.
  std::optional<std::string> error;               // As above.
};

// A constraint on an attribute of the devices of some requests.
struct CompiledConstraint {
  bool distinct = false;  // Otherwise all must be equal.
  std::string attribute;
  std::vector<std::vector<bool>> applies;  // By request and alternative.
  std::optional<std::string> error;        // As above.
};

struct CompiledClaim {
  std::shared_ptr<const api::ResourceClaimSpec> spec;
  std::vector<CompiledRequest> requests;
  std::vector<CompiledConstraint> constraints;  // Each once, though the claim may repeat it.
  size_t selector_bytes = 0;                    // Of the expressions of its requests.
};

// `find_class` returns null if there is no class of that name.
CompiledClaim CompileClaim(std::shared_ptr<const api::ResourceClaimSpec> spec,
                           const std::function<ClassRef(const std::string&)>& find_class,
                           SelectorTable& selectors, const Gates& gates);

// Returns the device's attribute of that name, which a constraint is about; null if it has none.
const api::DeviceAttribute* FindAttribute(const Device& device, const std::string& attribute);

// Reports whether some taint of the device prevents its allocation to the request.
bool HasUntoleratedTaint(const api::Device& device, const api::DeviceSubRequest& request);

}  // namespace berth::scheduler::devices
