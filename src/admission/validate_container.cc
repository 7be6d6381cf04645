// Rules for the containers and volumes of a pod.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "admission/field_errors.h"
#include "admission/names.h"
#include "admission/validate.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

constexpr std::string_view kPortRange = "must be between 1 and 65535, inclusive";

// Adds `text` to `seen`; false if it is there already.
bool Note(std::vector<std::string>& seen, std::string_view text) {
  if (std::ranges::find(seen, text) != seen.end()) return false;
  seen.emplace_back(text);
  return true;
}

struct Seen {
  std::vector<std::string> names;
  std::vector<std::string> host_ports;
};

void ValidatePort(const JsonObject* port, const FieldPath& path, bool host_network, Seen& seen,
                  FieldErrors& errors) {
  const auto in_range = [](int64_t number) { return number >= 1 && number <= 65535; };
  const int64_t number = IntAt(port, "containerPort").value_or(0);
  if (number == 0) {
    errors.Required(path / "containerPort");
  } else if (!in_range(number)) {
    errors.Invalid(path / "containerPort", number, kPortRange);
  }
  const std::string_view protocol = StringAt(port, "protocol");
  if (protocol.empty()) {
    errors.Required(path / "protocol");
  } else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    errors.NotSupported(path / "protocol", protocol, {"SCTP", "TCP", "UDP"});
  }
  const int64_t host_port = IntAt(port, "hostPort").value_or(0);
  if (host_port == 0) return;
  if (!in_range(host_port)) {
    errors.Invalid(path / "hostPort", host_port, kPortRange);
  } else if (host_network && host_port != number) {
    errors.Invalid(path / "hostPort", host_port,
                   "must match `containerPort` when `hostNetwork` is true");
  }
  const std::string where = fmt::format("{}/{}/{}", protocol, StringAt(port, "hostIP"), host_port);
  if (!Note(seen.host_ports, where)) errors.Duplicate(path / "hostPort", where);
}

void ValidateMounts(const JsonObject* container, const JsonArray* volumes, const FieldPath& path,
                    FieldErrors& errors) {
  const JsonArray* mounts = ArrayAt(container, "volumeMounts");
  if (!mounts) return;
  const FieldPath list = path / "volumeMounts";
  std::vector<std::string> places;
  for (size_t i = 0; i < mounts->size(); ++i) {
    const JsonObject* mount = AsObject((*mounts)[i]);
    const FieldPath at = list[i];
    const std::string_view name = StringAt(mount, "name");
    const std::string_view place = StringAt(mount, "mountPath");
    const bool known = volumes && std::ranges::any_of(*volumes, [&](const Json& volume) {
                         return StringAt(AsObject(volume), "name") == name;
                       });
    if (name.empty()) {
      errors.Required(at / "name");
    } else if (!known) {
      errors.NotFound(at / "name", name);
    }
    if (place.empty()) {
      errors.Required(at / "mountPath");
    } else if (!Note(places, place)) {
      errors.Invalid(at / "mountPath", place, "must be unique");
    }
  }
}

void ValidateImage(const JsonObject* container, const FieldPath& path, FieldErrors& errors) {
  const std::string_view image = StringAt(container, "image");
  if (image.empty()) {
    errors.Required(path / "image");
  } else if (image.front() == ' ' || image.back() == ' ') {
    errors.Invalid(path / "image", image, "must not have leading or trailing whitespace");
  }
  const std::string_view pull = StringAt(container, "imagePullPolicy");
  if (pull != "Always" && pull != "IfNotPresent" && pull != "Never") {
    errors.NotSupported(path / "imagePullPolicy", pull, {"Always", "IfNotPresent", "Never"});
  }
}

void ValidateContainer(const JsonObject* container, const JsonObject* spec, const FieldPath& path,
                       Seen& seen, FieldErrors& errors) {
  const std::string_view name = StringAt(container, "name");
  if (name.empty()) {
    errors.Required(path / "name");
  } else if (const auto what = CheckDnsLabel(name)) {
    errors.Invalid(path / "name", name, *what);
  } else if (!Note(seen.names, name)) {
    errors.Duplicate(path / "name", name);
  }
  ValidateImage(container, path, errors);
  const FieldPath ports_path = path / "ports";
  const JsonArray* ports = ArrayAt(container, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    ValidatePort(AsObject((*ports)[i]), ports_path[i], BoolAt(spec, "hostNetwork"), seen, errors);
  }
  const FieldPath env_path = path / "env";
  const JsonArray* env = ArrayAt(container, "env");
  for (size_t i = 0; env && i < env->size(); ++i) {
    const FieldPath at = env_path[i];
    if (StringAt(AsObject((*env)[i]), "name").empty()) errors.Required(at / "name");
  }
  ValidateMounts(container, ArrayAt(spec, "volumes"), path, errors);
  ValidateResources(container, path, errors);
}

void ValidateVolumes(const JsonArray* volumes, const FieldPath& path, FieldErrors& errors) {
  std::vector<std::string> names;
  for (size_t i = 0; volumes && i < volumes->size(); ++i) {
    const JsonObject* volume = AsObject((*volumes)[i]);
    const FieldPath at = path[i];
    const std::string_view name = StringAt(volume, "name");
    if (name.empty()) {
      errors.Required(at / "name");
    } else if (const auto what = CheckDnsLabel(name)) {
      errors.Invalid(at / "name", name, *what);
    } else if (!Note(names, name)) {
      errors.Duplicate(at / "name", name);
    }
    if (volume && volume->size() > 2) {
      errors.Forbidden(at, "may not specify more than 1 volume type");
    }
    const JsonObject* claim = ObjectAt(volume, "persistentVolumeClaim");
    if (claim && StringAt(claim, "claimName").empty()) {
      const FieldPath source = at / "persistentVolumeClaim";
      errors.Required(source / "claimName");
    }
  }
}

}  // namespace

void ValidateContainers(const JsonObject* pod_spec, const FieldPath& path, FieldErrors& errors) {
  Seen seen;
  if (const JsonArray* volumes = ArrayAt(pod_spec, "volumes")) {
    ValidateVolumes(volumes, path / "volumes", errors);
  }
  if (EmptyAt(pod_spec, "containers")) errors.Required(path / "containers");
  for (const std::string_view key : {"containers", "initContainers", "ephemeralContainers"}) {
    const JsonArray* containers = ArrayAt(pod_spec, key);
    const FieldPath list = path / key;
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      ValidateContainer(AsObject((*containers)[i]), pod_spec, list[i], seen, errors);
    }
    // Init containers are done when the others start: they may use the same ports.
    seen.host_ports.clear();
  }
}

}  // namespace berth::apiserver
