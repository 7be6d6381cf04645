// Validation of slices: the devices that a driver offers.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/quantity.h"
#include "apiserver/admission/device_fields.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"
#include "base/semantic_version.h"

namespace berth::apiserver::admission {
namespace {

constexpr size_t kMaxDevices = 128;
// Of devices with taints, counters or lists, which cost more.
constexpr size_t kMaxAdvancedDevices = 64;
constexpr size_t kMaxAttributesAndCapacities = 32;
constexpr size_t kMaxAttributeText = 64;
constexpr size_t kMaxDeviceTaints = 16;
constexpr size_t kMaxCounterSets = 8;
constexpr size_t kMaxCounters = 32;
constexpr size_t kMaxConsumptions = 2;
constexpr size_t kMaxValidValues = 10;
// Longer keys of attributes and capacities are shortened in paths: a domain, a slash and an id.
constexpr size_t kMaxShownKey = 63 + 1 + 32;

std::string Shown(std::string_view key, size_t limit) {
  if (key.size() <= limit) return std::string(key);
  const size_t rest = limit - 3;
  return fmt::format("{}...{}", key.substr(0, (rest + 1) / 2), key.substr(key.size() - rest / 2));
}

api::Quantity Amount(const api::Json* value) {
  return api::Quantity::Parse(value ? api::AsString(value) : "0").value_or(api::Quantity());
}

bool HasAdvancedDevices(const api::JsonArray* devices) {
  for (size_t i = 0; devices && i < devices->size(); ++i) {
    const api::JsonObject* device = api::AsObject((*devices)[i]);
    if (!api::EmptyAt(device, "taints") || !api::EmptyAt(device, "consumesCounters")) return true;
  }
  return false;
}

void CheckAttribute(const api::JsonObject* attribute, const FieldPath& path, FieldErrors& errors) {
  size_t values = 0;
  for (const std::string_view key : {"bool", "int", "string", "version"})
    values += api::At(attribute, key) != nullptr ? 1 : 0;
  if (const api::Json* text = api::At(attribute, "string");
      api::AsString(text).size() > kMaxAttributeText) {
    errors.TooLong(path / "string", kMaxAttributeText);
  }
  if (const api::Json* text = api::At(attribute, "version")) {
    const std::string_view version = api::AsString(text);
    if (!SemanticVersion::Parse(version)) {
      errors.Invalid(path / "version", version,
                     "must be a string compatible with semver.org spec 2.0.0");
    }
    if (version.size() > kMaxAttributeText) errors.TooLong(path / "version", kMaxAttributeText);
  }
  if (values == 1) return;
  errors.InvalidText(path, values == 0 ? "\"\"" : api::ToJsonText(*attribute),
                     "exactly one value must be specified");
}

// A policy allows some amounts of a capacity.
class RequestPolicy {
 public:
  RequestPolicy(const api::JsonObject& policy, api::Quantity capacity, FieldErrors& errors)
      : policy_(policy), capacity_(std::move(capacity)), errors_(errors) {}

  void Check(const FieldPath& path) {
    const bool has_values = !api::EmptyAt(&policy_, "validValues");
    const api::JsonObject* range = api::ObjectAt(&policy_, "validRange");
    if (has_values && range != nullptr) {
      return errors_.Forbidden(path,
                               "exactly one policy can be specified, cannot specify "
                               "\"validValues\" and \"validRange\" at the same time");
    }
    if (!has_values && range == nullptr) return;
    const api::Json* value = api::At(&policy_, "default");
    if (value == nullptr) {
      return errors_.Required(path / "default", has_values ? "required when validValues is defined"
                                                           : "required when validRange is defined");
    }
    default_ = Amount(value);
    if (has_values) {
      CheckValues(*api::ArrayAt(&policy_, "validValues"), path / "validValues");
    } else {
      CheckRange(*range, path / "validRange");
    }
  }

 private:
  void CheckValues(const api::JsonArray& values, const FieldPath& path) {
    // The limit comes first here: the order of values beyond it does not matter.
    if (values.size() > kMaxValidValues)
      return errors_.TooMany(path, values.size(), kMaxValidValues);
    bool has_default = false;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      if (Amount(&values[i]) > Amount(&values[i + 1])) {
        errors_.Invalid(path[i + 1], Amount(&values[i + 1]).ToString(),
                        "values must be sorted in ascending order");
      }
    }
    CheckSet(
        &values, kMaxValidValues, path, errors_,
        [&](const api::Json& value, const FieldPath& at) {
          const api::Quantity amount = Amount(&value);
          has_default = has_default || amount == default_;
          if (amount <= capacity_) return;
          errors_.Invalid(
              at, amount.ToString(),
              fmt::format("option is larger than capacity value: {}", capacity_.ToString()));
        },
        [](const api::Json& value) { return std::to_string(Amount(&value).Value()); });
    if (!has_default) {
      errors_.Invalid(path, default_.ToString(),
                      "default value is not valid according to the requestPolicy");
    }
  }

  void CheckRange(const api::JsonObject& range, const FieldPath& path) {
    if (api::At(&range, "min") == nullptr)
      return errors_.Required(path / "min", "required when validRange is defined");
    const api::Quantity min = Amount(api::At(&range, "min"));
    if (min > capacity_) Larger(path / "min", min, "min is larger than capacity value", capacity_);
    if (default_ < min) Larger(path / "min", default_, "default is less than min", min);
    const api::Json* max_value = api::At(&range, "max");
    const api::Quantity max = Amount(max_value);
    if (max_value != nullptr) {
      if (min > max) Larger(path / "max", min, "min is larger than max", max);
      if (max > capacity_)
        Larger(path / "max", max, "max is larger than capacity value", capacity_);
      if (default_ > max) Larger(path / "max", default_, "default is more than max", max);
    }
    const api::Json* step_value = api::At(&range, "step");
    if (step_value == nullptr) return;
    const api::Quantity step = Amount(step_value);
    api::Quantity one_step = min;
    one_step += step;
    if (one_step > capacity_) {
      errors_.Invalid(path / "step", step.ToString(),
                      fmt::format("one step {} is larger than capacity value: {}",
                                  one_step.ToString(), capacity_.ToString()));
    }
    CheckStep(default_, min, step, path / "step");
    if (max_value != nullptr) CheckStep(max, min, step, path / "step");
  }

  void Larger(const FieldPath& path, const api::Quantity& value, std::string_view what,
              const api::Quantity& limit) {
    errors_.Invalid(path, value.ToString(), fmt::format("{}: {}", what, limit.ToString()));
  }

  void CheckStep(const api::Quantity& value, const api::Quantity& min, const api::Quantity& step,
                 const FieldPath& path) {
    // DIFFERS: kube-apiserver divides by a step of 0.
    const auto distance = static_cast<int64_t>(static_cast<uint64_t>(value.Value()) -
                                               static_cast<uint64_t>(min.Value()));
    const int64_t whole = step.Value();
    // The smallest number has no quotient by -1, but is a multiple of it.
    if (whole == -1 || (whole != 0 && distance % whole == 0)) return;
    errors_.Invalid(path, value.ToString(),
                    fmt::format("value is not a multiple of a given step ({}) from ({})",
                                step.ToString(), min.ToString()));
  }

  const api::JsonObject& policy_;
  const api::Quantity capacity_;
  FieldErrors& errors_;
  api::Quantity default_;
};

void CheckCapacity(const api::JsonObject* capacity, bool is_shared, const FieldPath& path,
                   FieldErrors& errors) {
  const api::JsonObject* policy = api::ObjectAt(capacity, "requestPolicy");
  if (policy == nullptr) return;
  if (!is_shared)
    return errors.Forbidden(path / "requestPolicy", "allowMultipleAllocations must be true");
  RequestPolicy(*policy, Amount(api::At(capacity, "value")), errors).Check(path / "requestPolicy");
}

void CheckTaint(const api::JsonObject* taint, const FieldPath& path, FieldErrors& errors) {
  CheckLabelName(api::StringAt(taint, "key"), path / "key", errors);
  const std::string_view value = api::StringAt(taint, "value");
  if (!value.empty()) CheckLabelValue(value, path / "value", errors);
  const std::string_view effect = api::StringAt(taint, "effect");
  if (effect.empty()) return errors.Required(path / "effect");
  CheckTaintEffect(effect, path / "effect", errors);
}

// Checks the name of a set of counters at `key`, and the counters.
void CheckCounters(const api::JsonObject* set, std::string_view key, const FieldPath& path,
                   FieldErrors& errors) {
  const std::string_view name = api::StringAt(set, key);
  if (name.empty()) {
    errors.Required(path / key);
  } else {
    CheckLabelText(name, path / key, errors);
  }
  const FieldPath counters_path = path / "counters";
  const api::JsonObject* counters = api::ObjectAt(set, "counters");
  if (counters == nullptr || counters->empty()) return errors.Required(counters_path);
  if (counters->size() > kMaxCounters)
    return errors.TooMany(counters_path, counters->size(), kMaxCounters);
  for (const auto& counter : *counters) CheckLabelText(counter.key(), counters_path, errors);
}

// The names of the fields that say which nodes can use devices.
std::string Listed(const std::vector<std::string_view>& fields) {
  std::string text = "\"{";
  for (const std::string_view field : fields) {
    if (text.size() > 2) text += ", ";
    text += fmt::format("`{}`", field);
  }
  return text + "}\"";
}

// Checks nodeName, nodeSelector and allNodes; returns those that are set.
std::vector<std::string_view> CheckNodes(const api::JsonObject* holder, std::string_view empty_name,
                                         const FieldPath& path, FieldErrors& errors) {
  std::vector<std::string_view> set;
  if (const api::Json* name = api::At(holder, "nodeName")) {
    const std::string_view text = api::AsString(name);
    if (text.empty()) {
      errors.Invalid(path / "nodeName", text, empty_name);
    } else {
      set.push_back("nodeName");
      if (const auto what = CheckDnsSubdomain(text)) errors.Invalid(path / "nodeName", text, *what);
    }
  }
  if (const api::JsonObject* selector = api::ObjectAt(holder, "nodeSelector")) {
    set.push_back("nodeSelector");
    CheckNodeSelector(selector, path / "nodeSelector", errors);
  }
  if (api::At(holder, "allNodes") != nullptr) {
    if (api::BoolAt(holder, "allNodes")) {
      set.push_back("allNodes");
    } else {
      errors.InvalidText(path / "allNodes", "false", "must be either unset or set to true");
    }
  }
  return set;
}

void CheckNodesOfDevice(const api::JsonObject* device, bool per_device, const FieldPath& path,
                        FieldErrors& errors) {
  if (!per_device) {
    const bool any = api::At(device, "nodeName") || api::At(device, "nodeSelector") ||
                     api::At(device, "allNodes");
    if (any) {
      errors.InvalidText(path, "null",
                         "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                         "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
    }
    return;
  }
  constexpr std::string_view kOneOf =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  const auto set = CheckNodes(device, "must not be empty", path, errors);
  if (set.empty()) errors.Required(path, kOneOf);
  if (set.size() > 1) errors.InvalidText(path, Listed(set), kOneOf);
}

void CheckAttributesAndCapacity(const api::JsonObject* device, const FieldPath& path,
                                FieldErrors& errors) {
  const api::JsonObject* attributes = api::ObjectAt(device, "attributes");
  const api::JsonObject* capacity = api::ObjectAt(device, "capacity");
  const size_t count = (attributes ? attributes->size() : 0) + (capacity ? capacity->size() : 0);
  if (count > kMaxAttributesAndCapacities) {
    errors.Invalid(path, static_cast<int64_t>(count),
                   fmt::format("the total number of attributes and capacities must not exceed {}",
                               kMaxAttributesAndCapacities));
  }
  const FieldPath attributes_path = path / "attributes";
  for (const auto& member : attributes ? *attributes : api::JsonObject()) {
    const std::string shown = Shown(member.key(), kMaxShownKey);
    CheckAttributeName(member.key(), attributes_path, errors);
    CheckAttribute(api::AsObject(member.value()), attributes_path.Key(shown), errors);
  }
  const FieldPath capacity_path = path / "capacity";
  const bool is_shared = api::BoolAt(device, "allowMultipleAllocations");
  for (const auto& member : capacity ? *capacity : api::JsonObject()) {
    const std::string shown = Shown(member.key(), kMaxShownKey);
    CheckAttributeName(member.key(), capacity_path, errors);
    CheckCapacity(api::AsObject(member.value()), is_shared, capacity_path.Key(shown), errors);
  }
}

void CheckDevice(const api::JsonObject* device, const api::JsonObject* before, bool per_device,
                 const FieldPath& path, FieldErrors& errors) {
  CheckLabelText(api::StringAt(device, "name"), path / "name", errors);
  CheckAttributesAndCapacity(device, path, errors);
  if (before == nullptr || !api::SameAt(before, device, "taints")) {
    CheckEach(api::ArrayAt(device, "taints"), kMaxDeviceTaints, path / "taints", errors,
              [&](const api::Json& taint, const FieldPath& at) {
                CheckTaint(api::AsObject(taint), at, errors);
              });
  }
  CheckSet(
      api::ArrayAt(device, "consumesCounters"), kMaxConsumptions, path / "consumesCounters", errors,
      [&](const api::Json& set, const FieldPath& at) {
        CheckCounters(api::AsObject(set), "counterSet", at, errors);
      },
      [](const api::Json& set) { return api::StringAt(api::AsObject(set), "counterSet"); });
  CheckNodesOfDevice(device, per_device, path, errors);
  CheckBindingConditions(device, path, errors);
}

void CheckPool(const api::JsonObject* pool, const FieldPath& path, FieldErrors& errors) {
  CheckPoolName(api::StringAt(pool, "name"), path / "name", errors);
  const int64_t slices = api::IntAt(pool, "resourceSliceCount").value_or(0);
  if (slices <= 0) errors.Invalid(path / "resourceSliceCount", slices, "must be greater than zero");
  const int64_t generation = api::IntAt(pool, "generation").value_or(0);
  if (generation < 0)
    errors.Invalid(path / "generation", generation, "must be greater than or equal to zero");
}

void CheckNodesOfSlice(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  auto set = CheckNodes(spec, "must be either unset or set to a non-empty string", path, errors);
  const api::JsonArray* terms =
      api::ArrayAt(api::ObjectAt(spec, "nodeSelector"), "nodeSelectorTerms");
  if (terms != nullptr && terms->size() > 1) {
    const FieldPath selector = path / "nodeSelector";
    errors.InvalidValue(selector / "nodeSelectorTerms", api::Json(*terms),
                        "must have exactly one node selector term");
  }
  if (api::At(spec, "perDeviceNodeSelection") != nullptr) {
    if (api::BoolAt(spec, "perDeviceNodeSelection")) {
      set.push_back("perDeviceNodeSelection");
    } else {
      errors.InvalidText(path / "perDeviceNodeSelection", "false",
                         "must be either unset or set to true");
    }
  }
  constexpr std::string_view kOneOf =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.empty()) errors.Required(path, kOneOf);
  if (set.size() > 1) {
    errors.InvalidText(path, Listed(set), fmt::format("{}, but multiple fields are set", kOneOf));
  }
}

}  // namespace

void ValidateResourceSlice(const api::JsonObject* before, const api::JsonObject& document,
                           FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const api::JsonObject* old_spec = before ? api::ObjectAt(before, "spec") : nullptr;
  const FieldPath path("spec");
  const FieldPath pool_path = path / "pool";
  CheckDriverName(api::StringAt(spec, "driver"), path / "driver", errors);
  CheckPool(api::ObjectAt(spec, "pool"), pool_path, errors);
  if (old_spec != nullptr) {
    Immutable(api::ObjectAt(old_spec, "pool"), api::ObjectAt(spec, "pool"), "name", pool_path,
              errors);
    Immutable(old_spec, spec, "driver", path, errors);
    Immutable(old_spec, spec, "nodeName", path, errors);
  }
  CheckNodesOfSlice(spec, path, errors);

  const api::JsonArray* devices = api::ArrayAt(spec, "devices");
  const api::JsonArray* counters = api::ArrayAt(spec, "sharedCounters");
  if (devices != nullptr && counters != nullptr)
    errors.Invalid(path, "", "only one of `sharedCounters` or `devices` is allowed");
  std::map<std::string_view, const api::JsonObject*> old_devices;
  const api::JsonArray* old_list = api::ArrayAt(old_spec, "devices");
  for (size_t i = 0; old_list && i < old_list->size(); ++i)
    old_devices.emplace(NameOfElement((*old_list)[i]), api::AsObject((*old_list)[i]));
  const bool per_device = api::BoolAt(spec, "perDeviceNodeSelection");
  CheckSet(
      devices, HasAdvancedDevices(devices) ? kMaxAdvancedDevices : kMaxDevices, path / "devices",
      errors,
      [&](const api::Json& device, const FieldPath& at) {
        const auto found = old_devices.find(NameOfElement(device));
        CheckDevice(api::AsObject(device), found == old_devices.end() ? nullptr : found->second,
                    per_device, at, errors);
      },
      NameOfElement);
  CheckSet(
      counters, kMaxCounterSets, path / "sharedCounters", errors,
      [&](const api::Json& set, const FieldPath& at) {
        CheckCounters(api::AsObject(set), "name", at, errors);
      },
      NameOfElement);
}

}  // namespace berth::apiserver::admission
