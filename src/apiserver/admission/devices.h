// The kinds of resource.k8s.io: claims, templates and classes of devices, and slices that offer
// devices. Rules and messages are those of kube-apiserver v1.36 with its default feature gates.
//
// Lists are checked only up to their maximum length, so validation costs no more than the size of
// an object, and that of its selectors no more than the compilation of their text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "apiserver/store/store.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

class FieldErrors;

inline constexpr std::string_view kDeviceGroup = "resource.k8s.io";

// Defaults of requests and tolerations, in claims and templates.
void DefaultDevices(const api::scheme::Kind& kind, api::JsonObject& document);
// Sets the time of taints that have none to `now`, in slices.
void SetTaintTimes(const api::scheme::Kind& kind, api::JsonObject& document, Instant now);

// Removes fields of features that are off by default: lists as attributes, and mappings to
// resources of nodes.
void DropDisabledDeviceFields(const api::scheme::Kind& kind, api::JsonObject& document);
// Removes from status.devices what is no longer allocated to the claim.
void DropDeallocatedDevices(const api::JsonObject& before, api::JsonObject& after);

// Validates an object of the group, except its metadata and status. `before` is the stored object
// of an update, or null.
void ValidateDevices(const api::scheme::Kind& kind, const api::JsonObject* before,
                     const api::JsonObject& document, FieldErrors& errors);
// Validates an update of a claim's status.
void ValidateClaimStatus(const api::JsonObject& before, const api::JsonObject& after,
                         FieldErrors& errors);
// Rejects admin access in a namespace without the label for it: in new requests of claims and
// templates, or if `before` is not null, in new results of an allocation.
void ValidateAdminAccess(const store::Store& store, const api::scheme::Kind& kind,
                         const api::JsonObject* before, const api::JsonObject& document,
                         FieldErrors& errors);

// Returns what a client should know about an object that is valid.
std::vector<std::string> DeviceWarnings(const api::scheme::Kind& kind,
                                        const api::JsonObject& document);

// The parts of ValidateDevices.
void ValidateResourceSlice(const api::JsonObject* before, const api::JsonObject& document,
                           FieldErrors& errors);

}  // namespace berth::apiserver::admission
