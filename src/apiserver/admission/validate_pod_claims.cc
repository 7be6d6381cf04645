// Validation of the device claims of a pod, and of the references of its containers to them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {
namespace {

void CheckPodClaim(const api::Json& element, std::set<std::string_view>& names,
                   const FieldPath& path, FieldErrors& errors) {
  const api::JsonObject* claim = api::AsObject(element);
  const std::string_view name = api::StringAt(claim, "name");
  if (name.empty()) {
    errors.Required(path / "name");
  } else if (!names.insert(name).second) {
    errors.Duplicate(path / "name", name);
  } else if (const auto what = CheckDnsLabel(name)) {
    errors.Invalid(path / "name", name, *what);
  }
  const api::Json* claim_name = api::At(claim, "resourceClaimName");
  const api::Json* template_name = api::At(claim, "resourceClaimTemplateName");
  if (claim_name && template_name) {
    errors.InvalidValue(path, element,
                        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                        "specified");
  } else if (!claim_name && !template_name) {
    errors.InvalidValue(path, element,
                        "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  }
  for (const std::string_view key : {"resourceClaimName", "resourceClaimTemplateName"}) {
    const api::Json* value = api::At(claim, key);
    if (value == nullptr) continue;
    if (const auto what = CheckDnsSubdomain(api::AsString(value)))
      errors.Invalid(path / key, api::AsString(value), *what);
  }
}

// The claims and requests to which one container refers.
class ContainerClaims {
 public:
  ContainerClaims(const std::set<std::string_view>& names, FieldErrors& errors)
      : names_(names), errors_(errors) {}

  void Check(const api::JsonObject* reference, const FieldPath& path) {
    const std::string_view name = api::StringAt(reference, "name");
    const std::string_view request = api::StringAt(reference, "request");
    if (name.empty()) return errors_.Required(path);
    if (whole_.contains(name)) {
      errors_.Duplicate(path, name);
    } else if (request.empty()) {
      if (partly_.contains(name)) errors_.Duplicate(path, name);
      whole_.insert(name);
    } else {
      if (const auto what = CheckDnsLabel(request))
        errors_.Invalid(path / "request", request, *what);
      const std::string key = fmt::format("{}/{}", name, request);
      if (!requests_.insert(key).second) errors_.Duplicate(path, key);
      partly_.insert(name);
    }
    if (names_.contains(name)) return;
    const std::string known =
        names_.empty() ? " which is empty" : fmt::format(": {}", fmt::join(names_, ", "));
    errors_.Add({"FieldValueNotFound",
                 api::Limited(fmt::format("Not found: {}: must be one of the names in "
                                          "pod.spec.resourceClaims{}",
                                          Quote(name), known)),
                 path});
  }

 private:
  const std::set<std::string_view>& names_;
  FieldErrors& errors_;
  std::set<std::string_view> whole_;
  std::set<std::string_view> partly_;
  std::set<std::string, std::less<>> requests_;
};

}  // namespace

void ValidatePodClaims(const api::JsonObject* pod_spec, const FieldPath& path,
                       FieldErrors& errors) {
  std::set<std::string_view> names;
  const api::JsonArray* claims = api::ArrayAt(pod_spec, "resourceClaims");
  const FieldPath claims_path = path / "resourceClaims";
  for (size_t i = 0; claims && i < claims->size(); ++i)
    CheckPodClaim((*claims)[i], names, claims_path[i], errors);
  for (const std::string_view key : {"initContainers", "containers"}) {
    const api::JsonArray* containers = api::ArrayAt(pod_spec, key);
    const FieldPath containers_path = path / key;
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      const api::JsonArray* references =
          api::ArrayAt(api::ObjectAt(api::AsObject((*containers)[i]), "resources"), "claims");
      const FieldPath container_path = containers_path[i];
      const FieldPath resources_path = container_path / "resources";
      const FieldPath references_path = resources_path / "claims";
      ContainerClaims checked(names, errors);
      for (size_t k = 0; references && k < references->size(); ++k)
        checked.Check(api::AsObject((*references)[k]), references_path[k]);
    }
  }
}

}  // namespace berth::apiserver::admission
