#include "admission/quantities.h"

#include <fmt/format.h>

#include <string>

#include "admission/field_errors.h"
#include "api/quantity.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

// Rewrites quantities until one is bad.
class Rewriter {
 public:
  explicit Rewriter(const Kind& kind) : kind_(kind) {}

  void Value(Json* value, const FieldPath& path) {
    if (!value || error_) return;
    // A bare number is fine, too.
    std::string number;
    if (const std::optional<int64_t> whole = AsInt(value)) {
      number = fmt::format("{}", *whole);
    } else if (const double* fraction = value->if_double()) {
      number = fmt::format("{}", *fraction);
    }
    const std::string_view text = number.empty() ? AsString(*value) : std::string_view(number);
    const Result<api::Quantity> quantity = api::Quantity::Parse(text);
    if (!quantity) {
      error_ = BadRequest(fmt::format(
          "{0} in version \"{1}\" cannot be handled as a {0}: {2} (field {3}, value {4})",
          kind_.kind, kind_.version, quantity.error().message, path.ToString(), Quote(text)));
      return;
    }
    const std::string canonical = quantity->ToString();
    if (canonical != AsString(*value)) *value = canonical;
  }

  void List(JsonObject* holder, std::string_view key, const FieldPath& path) {
    JsonObject* list = ObjectAt(holder, key);
    if (!list) return;
    const FieldPath at = path / key;
    for (auto& member : *list) Value(&member.value(), at.Key(member.key()));
  }

  void Resources(JsonObject* holder, const FieldPath& path) {
    JsonObject* resources = ObjectAt(holder, "resources");
    if (!resources) return;
    const FieldPath at = path / "resources";
    List(resources, "requests", at);
    List(resources, "limits", at);
  }

  void PodSpec(JsonObject* spec, const FieldPath& path) {
    if (!spec) return;
    for (const std::string_view key : {"containers", "initContainers", "ephemeralContainers"}) {
      JsonArray* containers = ArrayAt(spec, key);
      const FieldPath at = path / key;
      for (size_t i = 0; containers && i < containers->size(); ++i) {
        Resources((*containers)[i].if_object(), at[i]);
      }
    }
    List(spec, "overhead", path);
    Resources(spec, path);
    JsonArray* volumes = ArrayAt(spec, "volumes");
    const FieldPath at = path / "volumes";
    for (size_t i = 0; volumes && i < volumes->size(); ++i) {
      JsonObject* volume = (*volumes)[i].if_object();
      const FieldPath one = at[i];
      if (JsonObject* source = ObjectAt(volume, "emptyDir")) {
        const FieldPath empty_dir = one / "emptyDir";
        Value(At(source, "sizeLimit"), empty_dir / "sizeLimit");
      }
    }
  }

  std::optional<ApiError> Take() { return std::move(error_); }

 private:
  const Kind& kind_;
  std::optional<ApiError> error_;
};

}  // namespace

ApiResult<void> CanonicalQuantities(const Kind& kind, JsonObject& document) {
  Rewriter rewriter(kind);
  const FieldPath spec_path("spec");
  const FieldPath status_path("status");
  JsonObject* spec = ObjectAt(&document, "spec");
  JsonObject* status = ObjectAt(&document, "status");
  const std::string_view name = kind.kind;
  if (name == "Pod") {
    rewriter.PodSpec(spec, spec_path);
  } else if (name == "Node") {
    rewriter.List(status, "capacity", status_path);
    rewriter.List(status, "allocatable", status_path);
  } else if (name == "PersistentVolume") {
    rewriter.List(spec, "capacity", spec_path);
  } else if (name == "PersistentVolumeClaim") {
    rewriter.Resources(spec, spec_path);
    rewriter.List(status, "capacity", status_path);
    rewriter.List(status, "allocatedResources", status_path);
  } else if (name == "ResourceQuota") {
    rewriter.List(spec, "hard", spec_path);
  } else if (name == "CSIStorageCapacity") {
    for (const std::string_view key : {"capacity", "maximumVolumeSize"}) {
      rewriter.Value(At(&document, key), FieldPath(key));
    }
  } else if (name == "CronJob") {
    const FieldPath job = spec_path / "jobTemplate";
    const FieldPath job_spec = job / "spec";
    const FieldPath pod = job_spec / "template";
    JsonObject* job_template = ObjectAt(ObjectAt(spec, "jobTemplate"), "spec");
    rewriter.PodSpec(ObjectAt(ObjectAt(job_template, "template"), "spec"), pod / "spec");
  } else if (JsonObject* pod = ObjectAt(spec, "template")) {
    const FieldPath path = spec_path / "template";
    rewriter.PodSpec(ObjectAt(pod, "spec"), path / "spec");
  }
  if (auto error = rewriter.Take()) return std::unexpected(std::move(*error));
  return {};
}

}  // namespace berth::apiserver
