#include "api/scheme/known_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/scheme/scheme.h"
#include "base/suggestion.h"
#include "base/text.h"

namespace berth::api::scheme {
namespace {

struct VersionKinds {
  std::string_view api_version;
  std::string_view kinds;  // Separated by spaces.
};

// The kinds of v1.36 by version, as its discovery documents list them; with those of the scheme.
constexpr VersionKinds kOtherKinds[] = {
    {"v1", "Binding ComponentStatus"},
    {"admissionregistration.k8s.io/v1",
     "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
     "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"},
    {"admissionregistration.k8s.io/v1beta1",
     "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io/v1alpha1",
     "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"},
    {"apiextensions.k8s.io/v1", "CustomResourceDefinition"},
    {"apiregistration.k8s.io/v1", "APIService"},
    {"authentication.k8s.io/v1", "TokenRequest"},
    {"autoscaling/v1", "HorizontalPodAutoscaler Scale"},
    {"certificates.k8s.io/v1", "CertificateSigningRequest"},
    {"certificates.k8s.io/v1beta1", "ClusterTrustBundle PodCertificateRequest"},
    {"certificates.k8s.io/v1alpha1", "ClusterTrustBundle"},
    {"coordination.k8s.io/v1beta1", "LeaseCandidate"},
    {"coordination.k8s.io/v1alpha2", "LeaseCandidate"},
    {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema PriorityLevelConfiguration"},
    {"internal.apiserver.k8s.io/v1alpha1", "StorageVersion"},
    {"networking.k8s.io/v1", "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR"},
    {"networking.k8s.io/v1beta1", "IPAddress ServiceCIDR"},
    {"policy/v1", "Eviction"},
    {"resource.k8s.io/v1beta2",
     "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice"},
    {"resource.k8s.io/v1beta1", "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"},
    {"resource.k8s.io/v1alpha3", "DeviceTaintRule ResourcePoolStatusRequest"},
    {"scheduling.k8s.io/v1alpha2", "PodGroup Workload"},
    {"storage.k8s.io/v1beta1", "VolumeAttributesClass"},
    {"storagemigration.k8s.io/v1beta1", "StorageVersionMigration"},
};

// "apps" of "apps/v1", "" of "v1".
std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

using KindsByVersion = std::map<std::string_view, std::set<std::string_view>>;

const KindsByVersion& AllKinds() {
  static const KindsByVersion all = [] {
    KindsByVersion kinds;
    for (const Kind& kind : Kinds()) kinds[kind.api_version()].insert(kind.kind);
    for (auto [version, names] : kOtherKinds) {
      while (!names.empty()) {
        const size_t space = std::min(names.find(' '), names.size());
        kinds[version].insert(names.substr(0, space));
        names.remove_prefix(std::min(space + 1, names.size()));
      }
    }
    return kinds;
  }();
  return all;
}

// Returns the kind of that version that is most similar, or else a version that has the kind.
std::string Nearest(std::string_view api_version, std::string_view kind) {
  const auto same = AllKinds().find(api_version);
  if (same != AllKinds().end()) {
    Suggestion suggestion(kind);
    for (const std::string_view known : same->second) suggestion.Consider(known);
    if (!suggestion.best().empty()) return suggestion.best();
  }
  std::string_view found;
  size_t distance = 0;
  for (const auto& [version, kinds] : AllKinds()) {
    if (!kinds.contains(kind)) continue;
    const size_t its_distance = EditDistance(version, api_version);
    if (!found.empty() && its_distance >= distance) continue;
    found = version;
    distance = its_distance;
  }
  if (!found.empty()) return fmt::format("apiVersion {}", found);
  Suggestion suggestion(kind);
  for (const auto& [version, kinds] : AllKinds()) {
    for (const std::string_view known : kinds) suggestion.Consider(known);
  }
  return suggestion.best();
}

}  // namespace

bool IsKubernetesKind(std::string_view api_version, std::string_view kind) {
  const auto found = AllKinds().find(api_version);
  return found != AllKinds().end() && found->second.contains(kind);
}

bool MayBeCustomResource(std::string_view api_version) {
  const std::string_view group = GroupOf(api_version);
  if (group.find('.') == std::string_view::npos) return false;
  Suggestion suggestion(group);
  for (const auto& [version, kinds] : AllKinds()) suggestion.Consider(GroupOf(version));
  return suggestion.best().empty();
}

std::string UnknownKindMessage(std::string_view api_version, std::string_view kind) {
  const std::string nearest = Nearest(api_version, kind);
  return fmt::format("no matches for kind \"{}\" in version \"{}\"{}", Shorten(kind),
                     Shorten(api_version),
                     nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

}  // namespace berth::api::scheme
