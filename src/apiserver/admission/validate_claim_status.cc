// Validation of the status of claims: allocation, consumers, and what drivers say about devices.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "apiserver/admission/device_fields.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/request_names.h"
#include "apiserver/admission/validation.h"
#include "cel/network.h"

namespace berth::apiserver::admission {
namespace {

constexpr size_t kMaxResults = 32;
constexpr size_t kMaxReservedFor = 256;
constexpr size_t kMaxDeviceConditions = 8;
constexpr size_t kMaxInterfaceName = 256;
constexpr size_t kMaxHardwareAddress = 128;
constexpr size_t kMaxIps = 16;
constexpr size_t kMaxReason = 1024;
constexpr size_t kMaxMessage = 32 * 1024;

// Returns "driver/pool/device" with the share, if any, of a result or a device's status.
std::string DeviceIdOf(const api::JsonObject* device) {
  const std::string_view share = api::StringAt(device, "shareID");
  return fmt::format("{}/{}/{}{}{}", api::StringAt(device, "driver"), api::StringAt(device, "pool"),
                     api::StringAt(device, "device"), share.empty() ? "" : "/", share);
}

std::set<std::string> AllocatedDevices(const api::JsonObject* status) {
  const api::JsonArray* results =
      api::ArrayAt(api::ObjectAt(api::ObjectAt(status, "allocation"), "devices"), "results");
  std::set<std::string> devices;
  for (size_t i = 0; results && i < results->size(); ++i)
    devices.insert(DeviceIdOf(api::AsObject((*results)[i])));
  return devices;
}

void CheckConsumer(const api::JsonObject* consumer, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view key : {"resource", "name", "uid"}) {
    if (api::StringAt(consumer, key).empty()) errors.Required(path / key);
  }
}

// [A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?
bool IsReason(std::string_view text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return std::isalpha(static_cast<unsigned char>(text.front())) != 0 && is_word(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_word(c) || c == ',' || c == ':'; });
}

void CheckCondition(const api::JsonObject* condition, const FieldPath& path, FieldErrors& errors) {
  CheckLabelName(api::StringAt(condition, "type"), path / "type", errors);
  const std::string_view status = api::StringAt(condition, "status");
  if (status != "True" && status != "False" && status != "Unknown")
    errors.NotSupported(path / "status", status, {"False", "True", "Unknown"});
  if (const auto seen = api::IntAt(condition, "observedGeneration"); seen && *seen < 0) {
    errors.Invalid(path / "observedGeneration", *seen, "must be greater than or equal to zero");
  }
  if (api::StringAt(condition, "lastTransitionTime").empty())
    errors.Required(path / "lastTransitionTime", "must be set");
  const std::string_view reason = api::StringAt(condition, "reason");
  if (reason.empty()) {
    errors.Required(path / "reason", "must be set");
  } else {
    if (!IsReason(reason)) {
      errors.Invalid(path / "reason", reason,
                     "a condition reason must start with alphabetic character, optionally followed "
                     "by a string of alphanumeric characters or '_,:', and must end with an "
                     "alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', "
                     " or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
                     "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
    }
    if (reason.size() > kMaxReason) errors.TooLong(path / "reason", kMaxReason);
  }
  if (api::StringAt(condition, "message").size() > kMaxMessage)
    errors.TooLong(path / "message", kMaxMessage);
}

void CheckConditions(const api::JsonObject* device, const FieldPath& path, FieldErrors& errors) {
  const api::JsonArray* conditions = api::ArrayAt(device, "conditions");
  const FieldPath at = path / "conditions";
  if (conditions != nullptr && conditions->size() > kMaxDeviceConditions)
    return errors.TooMany(at, conditions->size(), kMaxDeviceConditions);
  std::set<std::string_view> types;
  for (size_t i = 0; conditions && i < conditions->size(); ++i) {
    const api::JsonObject* condition = api::AsObject((*conditions)[i]);
    const FieldPath condition_path = at[i];
    const std::string_view type = api::StringAt(condition, "type");
    if (!types.insert(type).second) errors.Duplicate(condition_path / "type", type);
    CheckCondition(condition, condition_path, errors);
  }
}

void CheckInterfaceAddress(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  if (text.contains('/') && cel::ParseCidr(text)) return;
  errors.Invalid(path, text,
                 "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
}

void CheckNetworkData(const api::JsonObject* data, const FieldPath& path, FieldErrors& errors) {
  if (api::StringAt(data, "interfaceName").size() > kMaxInterfaceName)
    errors.TooLong(path / "interfaceName", kMaxInterfaceName);
  if (api::StringAt(data, "hardwareAddress").size() > kMaxHardwareAddress)
    errors.TooLong(path / "hardwareAddress", kMaxHardwareAddress);
  CheckSet(
      api::ArrayAt(data, "ips"), kMaxIps, path / "ips", errors,
      [&](const api::Json& ip, const FieldPath& at) {
        CheckInterfaceAddress(api::AsString(ip), at, errors);
      },
      TextOfElement);
}

void CheckDeviceStatus(const api::JsonObject* device, const std::set<std::string>& allocated,
                       const FieldPath& path, FieldErrors& errors) {
  CheckDriverName(api::StringAt(device, "driver"), path / "driver", errors);
  CheckPoolName(api::StringAt(device, "pool"), path / "pool", errors);
  CheckLabelText(api::StringAt(device, "device"), path / "device", errors);
  if (const api::Json* share = api::At(device, "shareID"))
    CheckShareId(api::AsString(share), path / "shareID", errors);
  if (const std::string id = DeviceIdOf(device); !allocated.contains(id)) {
    errors.InvalidText(path, id, "must be an allocated device in the claim");
  }
  CheckConditions(device, path, errors);
  if (const api::Json* data = api::At(device, "data"))
    CheckParameters(data, false, path / "data", errors);
  CheckNetworkData(api::ObjectAt(device, "networkData"), path / "networkData", errors);
}

void CheckResult(const api::JsonObject* result, const RequestNames& names, const FieldPath& path,
                 FieldErrors& errors) {
  names.CheckReference(api::StringAt(result, "request"), path / "request", errors);
  CheckDriverName(api::StringAt(result, "driver"), path / "driver", errors);
  CheckPoolName(api::StringAt(result, "pool"), path / "pool", errors);
  CheckLabelText(api::StringAt(result, "device"), path / "device", errors);
  CheckBindingConditions(result, path, errors);
  CheckTolerations(result, path, errors);
  if (const api::Json* share = api::At(result, "shareID"))
    CheckShareId(api::AsString(share), path / "shareID", errors);
}

void CheckAllocation(const api::JsonObject* allocation, const RequestNames& names,
                     const FieldPath& path, FieldErrors& errors) {
  const api::JsonObject* devices = api::ObjectAt(allocation, "devices");
  const FieldPath devices_path = path / "devices";
  CheckEach(api::ArrayAt(devices, "results"), kMaxResults, devices_path / "results", errors,
            [&](const api::Json& result, const FieldPath& at) {
              CheckResult(api::AsObject(result), names, at, errors);
            });
  // Those of the class and those of the claim.
  CheckEach(api::ArrayAt(devices, "config"), 2 * kMaxDeviceConfigs, devices_path / "config", errors,
            [&](const api::Json& element, const FieldPath& at) {
              const api::JsonObject* config = api::AsObject(element);
              const std::string_view source = api::StringAt(config, "source");
              if (source.empty()) {
                errors.Required(at / "source");
              } else if (source != "FromClaim" && source != "FromClass") {
                errors.NotSupported(at / "source", source, {"FromClaim", "FromClass"});
              }
              names.CheckReferences(config, at, errors);
              CheckDeviceConfiguration(config, false, at, errors);
            });
  if (const api::JsonObject* selector = api::ObjectAt(allocation, "nodeSelector"))
    CheckNodeSelector(selector, path / "nodeSelector", errors);
}

// Adds an error if a claim that is being deleted gets another consumer.
void CheckNewConsumers(const api::JsonObject* before, const api::JsonArray& after,
                       const FieldPath& path, FieldErrors& errors) {
  const auto key_of = [](const api::Json& element) {
    const api::JsonObject* consumer = api::AsObject(element);
    return fmt::format("{}\n{}\n{}\n{}", api::StringAt(consumer, "apiGroup"),
                       api::StringAt(consumer, "resource"), api::StringAt(consumer, "name"),
                       api::StringAt(consumer, "uid"));
  };
  std::set<std::string> known;
  const api::JsonArray* consumers = api::ArrayAt(before, "reservedFor");
  for (size_t i = 0; consumers && i < consumers->size(); ++i) known.insert(key_of((*consumers)[i]));
  const bool has_new = std::ranges::any_of(
      after, [&](const api::Json& consumer) { return !known.contains(key_of(consumer)); });
  if (!has_new) return;
  errors.Forbidden(path,
                   "new entries may not be added while `deallocationRequested` or "
                   "`deletionTimestamp` are set");
}

}  // namespace

void ValidateClaimStatus(const api::JsonObject& before, const api::JsonObject& after,
                         FieldErrors& errors) {
  const api::JsonObject* old_status = api::ObjectAt(&before, "status");
  const api::JsonObject* status = api::ObjectAt(&after, "status");
  const FieldPath path("status");
  const FieldPath reserved_path = path / "reservedFor";
  const api::JsonArray* consumers = api::ArrayAt(status, "reservedFor");
  CheckSet(
      consumers, kMaxReservedFor, reserved_path, errors,
      [&](const api::Json& consumer, const FieldPath& at) {
        CheckConsumer(api::AsObject(consumer), at, errors);
      },
      [](const api::Json& consumer) { return api::StringAt(api::AsObject(consumer), "uid"); });
  const std::set<std::string> allocated = AllocatedDevices(status);
  CheckSet(
      api::ArrayAt(status, "devices"), kNoLimit, path / "devices", errors,
      [&](const api::Json& device, const FieldPath& at) {
        CheckDeviceStatus(api::AsObject(device), allocated, at, errors);
      },
      [](const api::Json& device) { return DeviceIdOf(api::AsObject(device)); });

  const api::JsonObject* allocation = api::ObjectAt(status, "allocation");
  if (consumers != nullptr && !consumers->empty()) {
    if (allocation == nullptr) {
      errors.Forbidden(reserved_path, "may not be specified when `allocated` is not set");
    } else if (IsDeleting(before)) {
      CheckNewConsumers(old_status, *consumers, reserved_path, errors);
    }
  }
  if (allocation == nullptr) return;
  const FieldPath allocation_path = path / "allocation";
  if (api::ObjectAt(old_status, "allocation") == nullptr) {
    const RequestNames names(api::ObjectAt(&after, "spec"));
    CheckAllocation(allocation, names, allocation_path, errors);
  } else {
    Immutable(old_status, status, "allocation", path, errors);
  }
}

void DropDeallocatedDevices(const api::JsonObject& before, api::JsonObject& after) {
  api::JsonObject* status = api::ObjectAt(&after, "status");
  api::JsonArray* devices = api::ArrayAt(status, "devices");
  if (devices == nullptr) return;
  const std::set<std::string> now = AllocatedDevices(status);
  const std::set<std::string> earlier = AllocatedDevices(api::ObjectAt(&before, "status"));
  api::JsonArray left(devices->storage());
  for (api::Json& device : *devices) {
    const std::string id = DeviceIdOf(api::AsObject(device));
    if (!earlier.contains(id) || now.contains(id)) left.push_back(std::move(device));
  }
  if (left.empty()) {
    status->erase("devices");
  } else {
    *devices = std::move(left);
  }
}

}  // namespace berth::apiserver::admission
