#include "apiserver/admission/defaulting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "api/json/document.h"
#include "api/quantity.h"
#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "base/base64.h"

namespace berth::apiserver::admission {

namespace {

// QuantityRewriter rewrites quantities until the first invalid one.
class QuantityRewriter {
 public:
  explicit QuantityRewriter(const api::scheme::Kind& kind) : kind_(kind) {}

  void Value(api::Json* value, const FieldPath& path) {
    if (!value || error_) return;
    // A JSON number is valid, too.
    std::string number;
    if (const std::optional<int64_t> whole = api::AsInt(value)) {
      number = fmt::format("{}", *whole);
    } else if (const double* fraction = value->if_double()) {
      number = fmt::format("{}", *fraction);
    }
    const std::string_view text = number.empty() ? api::AsString(*value) : std::string_view(number);
    const Result<api::Quantity> quantity = api::Quantity::Parse(text);
    if (!quantity) {
      error_ = api::scheme::BadRequest(fmt::format(
          "{0} in version \"{1}\" cannot be handled as a {0}: {2} (field {3}, value {4})",
          kind_.kind, kind_.version, quantity.error().message, path.ToString(), Quote(text)));
      return;
    }
    const std::string canonical = quantity->ToString();
    if (canonical != api::AsString(*value)) *value = canonical;
  }

  void List(api::JsonObject* holder, std::string_view key, const FieldPath& path) {
    api::JsonObject* list = api::ObjectAt(holder, key);
    if (!list) return;
    const FieldPath at = path / key;
    for (auto& member : *list) Value(&member.value(), at.Key(member.key()));
  }

  void Resources(api::JsonObject* holder, const FieldPath& path) {
    api::JsonObject* resources = api::ObjectAt(holder, "resources");
    if (!resources) return;
    const FieldPath at = path / "resources";
    List(resources, "requests", at);
    List(resources, "limits", at);
  }

  void PodSpec(api::JsonObject* spec, const FieldPath& path) {
    if (!spec) return;
    for (const std::string_view key : {"containers", "initContainers", "ephemeralContainers"}) {
      api::JsonArray* containers = api::ArrayAt(spec, key);
      const FieldPath at = path / key;
      for (size_t i = 0; containers && i < containers->size(); ++i) {
        Resources((*containers)[i].if_object(), at[i]);
      }
    }
    List(spec, "overhead", path);
    Resources(spec, path);
    api::JsonArray* volumes = api::ArrayAt(spec, "volumes");
    const FieldPath at = path / "volumes";
    for (size_t i = 0; volumes && i < volumes->size(); ++i) {
      api::JsonObject* volume = (*volumes)[i].if_object();
      const FieldPath one = at[i];
      if (api::JsonObject* source = api::ObjectAt(volume, "emptyDir")) {
        const FieldPath empty_dir = one / "emptyDir";
        Value(api::At(source, "sizeLimit"), empty_dir / "sizeLimit");
      }
    }
  }

  // Rewrites every quantity that the schema declares. Slower than the methods above, which know
  // where the quantities are.
  void Object(const api::scheme::Schema& schema, api::JsonObject& object, const FieldPath* path) {
    for (auto& member : object) {
      const api::scheme::SchemaField* field = schema.Find(member.key());
      if (!field || error_) continue;
      const FieldPath at = path ? *path / member.key() : FieldPath(member.key());
      Field(*field, member.value(), at);
    }
  }

  std::optional<api::scheme::ApiError> Take() { return std::move(error_); }

 private:
  void Field(const api::scheme::SchemaField& field, api::Json& value, const FieldPath& path) {
    using Type = api::scheme::SchemaField::Type;
    using Shape = api::scheme::SchemaField::Shape;
    if (field.type != Type::kQuantity && field.type != Type::kSchema) return;
    const auto element = [&](api::Json& one, const FieldPath& at) {
      if (field.type == Type::kQuantity) return Value(&one, at);
      if (api::JsonObject* object = one.if_object()) Object(*field.schema, *object, &at);
    };
    if (field.shape == Shape::kOne) return element(value, path);
    if (api::JsonArray* list = value.if_array()) {
      for (size_t i = 0; i < list->size(); ++i) element((*list)[i], path[i]);
    } else if (api::JsonObject* map = value.if_object()) {
      for (auto& member : *map) element(member.value(), path.Key(member.key()));
    }
  }

  const api::scheme::Kind& kind_;
  std::optional<api::scheme::ApiError> error_;
};

bool HasQuantities(const api::scheme::Schema& schema,
                   std::unordered_set<const api::scheme::Schema*>& seen) {
  if (!seen.insert(&schema).second) return false;
  return std::ranges::any_of(schema.fields, [&](const api::scheme::SchemaField& field) {
    return field.type == api::scheme::SchemaField::Type::kQuantity ||
           (field.schema != nullptr && HasQuantities(*field.schema, seen));
  });
}

// Returns the schema of the kind if it has quantities, and else null.
const api::scheme::Schema* SchemaWithQuantities(const api::scheme::Kind& kind) {
  static const auto schemas = [] {
    std::unordered_map<const api::scheme::Kind*, const api::scheme::Schema*> all;
    for (const api::scheme::Kind& row : api::scheme::Kinds()) {
      const auto* schema = api::scheme::SchemaOf(row.api_version(), row.kind);
      std::unordered_set<const api::scheme::Schema*> seen;
      if (schema != nullptr && HasQuantities(*schema, seen)) all[&row] = schema;
    }
    return all;
  }();
  const auto found = schemas.find(&kind);
  return found == schemas.end() ? nullptr : found->second;
}

}  // namespace

api::scheme::ApiResult<void> CanonicalizeQuantities(const api::scheme::Kind& kind,
                                                    api::JsonObject& document) {
  QuantityRewriter rewriter(kind);
  const FieldPath spec_path("spec");
  const FieldPath status_path("status");
  api::JsonObject* spec = api::ObjectAt(&document, "spec");
  api::JsonObject* status = api::ObjectAt(&document, "status");
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
      rewriter.Value(api::At(&document, key), FieldPath(key));
    }
  } else if (name == "CronJob") {
    const FieldPath job = spec_path / "jobTemplate";
    const FieldPath job_spec = job / "spec";
    const FieldPath pod = job_spec / "template";
    api::JsonObject* job_template = api::ObjectAt(api::ObjectAt(spec, "jobTemplate"), "spec");
    rewriter.PodSpec(api::ObjectAt(api::ObjectAt(job_template, "template"), "spec"), pod / "spec");
  } else if (api::JsonObject* pod = api::ObjectAt(spec, "template")) {
    const FieldPath path = spec_path / "template";
    rewriter.PodSpec(api::ObjectAt(pod, "spec"), path / "spec");
  } else if (const api::scheme::Schema* schema = SchemaWithQuantities(kind)) {
    rewriter.Object(*schema, document, nullptr);
  }
  if (auto error = rewriter.Take()) return std::unexpected(std::move(*error));
  return {};
}

namespace {

// Moves stringData, which is write-only, into data.
void DefaultSecret(api::JsonObject& secret) {
  api::DefaultString(secret, "type", "Opaque");
  const api::Json* plain = api::At(&secret, "stringData");
  if (!plain) return;
  const api::Json texts = *plain;
  secret.erase("stringData");
  const api::JsonObject* members = texts.if_object();
  if (!members || members->empty()) return;
  api::JsonObject& data = api::EnsureObject(secret, "data");
  for (const auto& [key, value] : *members) data[key] = EncodeBase64(api::AsString(value));
}

void DefaultNode(api::JsonObject& node) {
  api::JsonObject* status = api::ObjectAt(&node, "status");
  if (const api::Json* capacity = api::At(status, "capacity");
      capacity && !api::At(status, "allocatable")) {
    const api::Json copy = *capacity;
    (*status)["allocatable"] = copy;
  }
  api::JsonObject* spec = api::ObjectAt(&node, "spec");
  const std::string cidr(api::StringAt(spec, "podCIDR"));
  if (!cidr.empty() && api::EmptyAt(spec, "podCIDRs"))
    api::EnsureArray(*spec, "podCIDRs").emplace_back(cidr);
}

}  // namespace

void ApplyDefaults(const api::scheme::Kind& kind, api::JsonObject& document) {
  const std::string_view name = kind.kind;
  if (name == "Pod") return DefaultPod(document);
  if (DefaultWorkload(kind, document) || DefaultBatch(kind, document) ||
      DefaultStorage(kind, document)) {
    return;
  }
  if (name == "Service") return DefaultService(document);
  if (name == "Node") return DefaultNode(document);
  if (name == "Secret") return DefaultSecret(document);
  if (name == "PriorityClass") {
    api::DefaultString(document, "preemptionPolicy", "PreemptLowerPriority");
  }
  if (kind.group == kDeviceGroup) return DefaultDevices(kind, document);
  if (name == "PodTemplate") {
    if (api::JsonObject* pod = api::ObjectAt(&document, "template"))
      DefaultPodSpec(api::EnsureObject(*pod, "spec"));
  }
  DefaultGroups(kind, document);
}

// Admission allocates the addresses.
void DefaultService(api::JsonObject& service) {
  api::JsonObject& spec = api::EnsureObject(service, "spec");
  api::DefaultString(spec, "type", "ClusterIP");
  api::DefaultString(spec, "sessionAffinity", "None");
  if (api::StringAt(&spec, "sessionAffinity") == "ClientIP") {
    api::JsonObject& client =
        api::EnsureObject(api::EnsureObject(spec, "sessionAffinityConfig"), "clientIP");
    api::DefaultInt(client, "timeoutSeconds", 10800);
  }
  const std::string_view type = api::StringAt(&spec, "type");
  if (type == "NodePort" || type == "LoadBalancer") {
    api::DefaultString(spec, "externalTrafficPolicy", "Cluster");
  }
  if (api::StringAt(&spec, "type") == "LoadBalancer") {
    api::DefaultBool(spec, "allocateLoadBalancerNodePorts", true);
  }
  if (api::StringAt(&spec, "type") != "ExternalName") {
    api::DefaultString(spec, "internalTrafficPolicy", "Cluster");
  }
  api::JsonArray* ports = api::ArrayAt(&spec, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    api::JsonObject* port = (*ports)[i].if_object();
    if (!port) continue;
    api::DefaultString(*port, "protocol", "TCP");
    const auto number = api::IntAt(port, "port");
    const api::Json* target = api::At(port, "targetPort");
    if (number && (!target || api::IsEmpty(target) || api::AsInt(target) == 0)) {
      api::SetInt(*port, "targetPort", *number);
    }
  }
}

namespace {

void DefaultCsiDriver(api::JsonObject& spec) {
  api::DefaultBool(spec, "attachRequired", true);
  api::DefaultBool(spec, "podInfoOnMount", false);
  api::DefaultBool(spec, "storageCapacity", false);
  api::DefaultString(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  api::DefaultBool(spec, "requiresRepublish", false);
  api::DefaultBool(spec, "seLinuxMount", false);
  if (api::EmptyAt(&spec, "volumeLifecycleModes")) {
    api::EnsureArray(spec, "volumeLifecycleModes").emplace_back("Persistent");
  }
}

}  // namespace

bool DefaultStorage(const api::scheme::Kind& kind, api::JsonObject& document) {
  const std::string_view name = kind.kind;
  if (name == "StorageClass") {
    api::DefaultString(document, "reclaimPolicy", "Delete");
    api::DefaultString(document, "volumeBindingMode", "Immediate");
  } else if (name == "CSIDriver") {
    DefaultCsiDriver(api::EnsureObject(document, "spec"));
  } else if (name == "PersistentVolume") {
    api::JsonObject& spec = api::EnsureObject(document, "spec");
    api::DefaultString(spec, "persistentVolumeReclaimPolicy", "Retain");
    api::DefaultString(spec, "volumeMode", "Filesystem");
    api::DefaultString(api::EnsureObject(document, "status"), "phase", "Pending");
  } else if (name == "PersistentVolumeClaim") {
    api::DefaultString(api::EnsureObject(document, "spec"), "volumeMode", "Filesystem");
    api::DefaultString(api::EnsureObject(document, "status"), "phase", "Pending");
  } else {
    return false;
  }
  return true;
}

}  // namespace berth::apiserver::admission
