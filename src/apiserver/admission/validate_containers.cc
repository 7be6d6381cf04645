// Validation of containers and volumes of pods.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/quantity.h"
#include "api/selector.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {

namespace {

bool IsHugePages(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsStandard(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || IsHugePages(name);
}

bool IsExtended(std::string_view name) {
  return name.find('/') != std::string_view::npos && !name.starts_with("kubernetes.io/") &&
         !name.starts_with("requests.");
}

// Reports whether the limit of a resource may exceed the request.
bool MayOvercommit(std::string_view name) { return !IsExtended(name) && !IsHugePages(name); }

void ValidateName(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  for (const std::string& what : api::QualifiedNameErrors(name)) errors.Invalid(path, name, what);
  if (name.find('/') == std::string_view::npos && !IsStandard(name)) {
    errors.Invalid(path, name, "must be a standard resource for containers");
  }
}

void ValidateList(const api::JsonObject* list, const FieldPath& path, FieldErrors& errors) {
  if (!list) return;
  for (const auto& [key, value] : *list) {
    const FieldPath at = path.Key(key);
    ValidateName(key, at, errors);
    const std::string_view text = api::AsString(value);
    const Result<api::Quantity> quantity = api::Quantity::Parse(text);
    if (!quantity) {
      errors.Invalid(at, text, quantity.error().message);
      continue;
    }
    if (quantity->Sign() < 0) {
      errors.Invalid(at, text, "must be greater than or equal to 0");
    } else if (IsExtended(key) && quantity->MilliValue() % 1000 != 0) {
      errors.Invalid(at, text, "must be an integer");
    }
  }
}

}  // namespace

void ValidateResources(const api::JsonObject* container, const FieldPath& path,
                       FieldErrors& errors) {
  const api::JsonObject* resources = api::ObjectAt(container, "resources");
  if (!resources || resources->empty()) return;
  const FieldPath at = path / "resources";
  const FieldPath requests_path = at / "requests";
  const FieldPath limits_path = at / "limits";
  const api::JsonObject* requests = api::ObjectAt(resources, "requests");
  const api::JsonObject* limits = api::ObjectAt(resources, "limits");
  ValidateList(limits, limits_path, errors);
  ValidateList(requests, requests_path, errors);
  if (!requests) return;
  for (const auto& [key, value] : *requests) {
    const api::Json* limit_value = api::At(limits, key);
    if (!limit_value) {
      if (!MayOvercommit(key)) {
        errors.Required(limits_path, "Limit must be set for non overcommitable resources");
      }
      continue;
    }
    const std::string_view text = api::AsString(value);
    const std::string_view limit_text = api::AsString(limit_value);
    const Result<api::Quantity> request = api::Quantity::Parse(text);
    const Result<api::Quantity> limit = api::Quantity::Parse(limit_text);
    if (!request || !limit) continue;
    if (!MayOvercommit(key)) {
      if (*request == *limit) continue;
      errors.Invalid(
          requests_path, text,
          fmt::format("must be equal to {} limit of {}", std::string_view(key), limit_text));
    } else if (*request > *limit) {
      errors.Invalid(requests_path, text,
                     fmt::format("must be less than or equal to {} limit of {}",
                                 std::string_view(key), limit_text));
    }
  }
}

namespace {

constexpr std::string_view kPortRange = "must be between 1 and 65535, inclusive";

// Ordered, since the keys of a hash table could be chosen to collide.
using Names = std::set<std::string_view>;

// What the containers of a pod share.
struct PodContext {
  bool host_network = false;
  Names volumes;  // Their names.
  Names containers;
  std::set<std::string> host_ports;
};

Names VolumeNames(const api::JsonArray* volumes) {
  Names names;
  for (size_t i = 0; volumes && i < volumes->size(); ++i) {
    names.insert(api::StringAt(api::AsObject((*volumes)[i]), "name"));
  }
  return names;
}

void ValidatePort(const api::JsonObject* port, const FieldPath& path, PodContext& pod,
                  FieldErrors& errors) {
  const auto in_range = [](int64_t number) { return number >= 1 && number <= 65535; };
  const int64_t number = api::IntAt(port, "containerPort").value_or(0);
  if (number == 0) {
    errors.Required(path / "containerPort");
  } else if (!in_range(number)) {
    errors.Invalid(path / "containerPort", number, kPortRange);
  }
  const std::string_view protocol = api::StringAt(port, "protocol");
  if (protocol.empty()) {
    errors.Required(path / "protocol");
  } else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    errors.NotSupported(path / "protocol", protocol, {"SCTP", "TCP", "UDP"});
  }
  const int64_t host_port = api::IntAt(port, "hostPort").value_or(0);
  if (host_port == 0) return;
  if (!in_range(host_port)) {
    errors.Invalid(path / "hostPort", host_port, kPortRange);
  } else if (pod.host_network && host_port != number) {
    errors.Invalid(path / "hostPort", host_port,
                   "must match `containerPort` when `hostNetwork` is true");
  }
  const std::string where =
      fmt::format("{}/{}/{}", protocol, api::StringAt(port, "hostIP"), host_port);
  if (!pod.host_ports.insert(where).second) errors.Duplicate(path / "hostPort", where);
}

void ValidateMounts(const api::JsonObject* container, const Names& volumes, const FieldPath& path,
                    FieldErrors& errors) {
  const api::JsonArray* mounts = api::ArrayAt(container, "volumeMounts");
  if (!mounts) return;
  const FieldPath list = path / "volumeMounts";
  Names places;
  for (size_t i = 0; i < mounts->size(); ++i) {
    const api::JsonObject* mount = api::AsObject((*mounts)[i]);
    const FieldPath at = list[i];
    const std::string_view name = api::StringAt(mount, "name");
    const std::string_view place = api::StringAt(mount, "mountPath");
    if (name.empty()) {
      errors.Required(at / "name");
    } else if (!volumes.contains(name)) {
      errors.NotFound(at / "name", name);
    }
    if (place.empty()) {
      errors.Required(at / "mountPath");
    } else if (!places.insert(place).second) {
      errors.Invalid(at / "mountPath", place, "must be unique");
    }
  }
}

void ValidateImage(const api::JsonObject* container, const FieldPath& path, FieldErrors& errors) {
  const std::string_view image = api::StringAt(container, "image");
  if (image.empty()) {
    errors.Required(path / "image");
  } else if (image.front() == ' ' || image.back() == ' ') {
    errors.Invalid(path / "image", image, "must not have leading or trailing whitespace");
  }
  const std::string_view pull = api::StringAt(container, "imagePullPolicy");
  if (pull != "Always" && pull != "IfNotPresent" && pull != "Never") {
    errors.NotSupported(path / "imagePullPolicy", pull, {"Always", "IfNotPresent", "Never"});
  }
}

void ValidateContainer(const api::JsonObject* container, const FieldPath& path, PodContext& pod,
                       FieldErrors& errors) {
  const std::string_view name = api::StringAt(container, "name");
  if (name.empty()) {
    errors.Required(path / "name");
  } else if (const auto what = CheckDnsLabel(name)) {
    errors.Invalid(path / "name", name, *what);
  } else if (!pod.containers.insert(name).second) {
    errors.Duplicate(path / "name", name);
  }
  ValidateImage(container, path, errors);
  const FieldPath ports_path = path / "ports";
  const api::JsonArray* ports = api::ArrayAt(container, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    ValidatePort(api::AsObject((*ports)[i]), ports_path[i], pod, errors);
  }
  const FieldPath env_path = path / "env";
  const api::JsonArray* env = api::ArrayAt(container, "env");
  for (size_t i = 0; env && i < env->size(); ++i) {
    const FieldPath at = env_path[i];
    if (api::StringAt(api::AsObject((*env)[i]), "name").empty()) errors.Required(at / "name");
  }
  ValidateMounts(container, pod.volumes, path, errors);
  ValidateResources(container, path, errors);
}

void ValidateVolumes(const api::JsonArray* volumes, const FieldPath& path, FieldErrors& errors) {
  Names names;
  for (size_t i = 0; volumes && i < volumes->size(); ++i) {
    const api::JsonObject* volume = api::AsObject((*volumes)[i]);
    const FieldPath at = path[i];
    const std::string_view name = api::StringAt(volume, "name");
    if (name.empty()) {
      errors.Required(at / "name");
    } else if (const auto what = CheckDnsLabel(name)) {
      errors.Invalid(at / "name", name, *what);
    } else if (!names.insert(name).second) {
      errors.Duplicate(at / "name", name);
    }
    if (volume && volume->size() > 2) {
      errors.Forbidden(at, "may not specify more than 1 volume type");
    }
    const api::JsonObject* claim = api::ObjectAt(volume, "persistentVolumeClaim");
    if (claim && api::StringAt(claim, "claimName").empty()) {
      const FieldPath source = at / "persistentVolumeClaim";
      errors.Required(source / "claimName");
    }
  }
}

}  // namespace

void ValidateContainers(const api::JsonObject* pod_spec, const FieldPath& path,
                        FieldErrors& errors) {
  PodContext pod{.host_network = api::BoolAt(pod_spec, "hostNetwork"),
                 .volumes = VolumeNames(api::ArrayAt(pod_spec, "volumes")),
                 .containers = {},
                 .host_ports = {}};
  if (const api::JsonArray* volumes = api::ArrayAt(pod_spec, "volumes")) {
    ValidateVolumes(volumes, path / "volumes", errors);
  }
  if (api::EmptyAt(pod_spec, "containers")) errors.Required(path / "containers");
  for (const std::string_view key : {"containers", "initContainers", "ephemeralContainers"}) {
    const api::JsonArray* containers = api::ArrayAt(pod_spec, key);
    const FieldPath list = path / key;
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      ValidateContainer(api::AsObject((*containers)[i]), list[i], pod, errors);
    }
    // Init containers end before the others start: they may use the same ports.
    pod.host_ports.clear();
  }
}

}  // namespace berth::apiserver::admission
