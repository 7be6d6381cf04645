// Validation of ephemeral containers, which can only be added to a pod that exists.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/json/document.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::string_view kList = "ephemeralContainers";
// What an ephemeral container may not have, since nothing restarts it or leads to it.
constexpr std::array<std::string_view, 7> kNotAllowed = {
    "ports",     "livenessProbe", "readinessProbe", "startupProbe",
    "lifecycle", "resources",     "resizePolicy"};

using ContainersByName = std::unordered_map<std::string_view, const api::JsonObject*>;

void AddByName(const api::JsonArray* list, ContainersByName& containers) {
  for (size_t i = 0; list && i < list->size(); ++i) {
    const api::JsonObject* container = api::AsObject((*list)[i]);
    containers.emplace(api::StringAt(container, "name"), container);
  }
}

}  // namespace

void ValidateEphemeralContainers(const api::JsonObject& before, const api::JsonObject& after,
                                 FieldErrors& errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec / kList;
  const api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  const api::JsonArray* old_list = api::ArrayAt(api::ObjectAt(&before, "spec"), kList);
  const api::JsonArray* new_list = api::ArrayAt(new_spec, kList);
  ContainersByName targets;
  for (const std::string_view list : {"containers", "initContainers"}) {
    AddByName(api::ArrayAt(new_spec, list), targets);
  }
  ContainersByName present;
  AddByName(new_list, present);
  for (size_t i = 0; new_list && i < new_list->size(); ++i) {
    const api::JsonObject* container = api::AsObject((*new_list)[i]);
    const FieldPath item = path[i];
    for (const std::string_view key : kNotAllowed) {
      if (!api::IsEmpty(api::At(container, key))) {
        errors.Forbidden(item / key, "cannot be set for an Ephemeral Container");
      }
    }
    const std::string_view target = api::StringAt(container, "targetContainerName");
    if (!target.empty() && !targets.contains(target)) {
      errors.NotFound(item / "targetContainerName", target);
    }
  }
  for (size_t i = 0; old_list && i < old_list->size(); ++i) {
    const api::JsonObject* container = api::AsObject((*old_list)[i]);
    const std::string_view name = api::StringAt(container, "name");
    const auto now = present.find(name);
    if (now == present.end()) {
      errors.Forbidden(
          path, fmt::format("existing ephemeral containers \"{}\" may not be removed\n", name));
    } else if (container && (!now->second || *now->second != *container)) {
      errors.Forbidden(
          path, fmt::format("existing ephemeral containers \"{}\" may not be changed\n", name));
    }
  }
}

}  // namespace berth::apiserver::admission
