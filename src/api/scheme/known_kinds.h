// What an API version and a kind in a file stand for: a kind of Kubernetes, a custom resource, or a
// misspelling.
#pragma once

#include <string>
#include <string_view>

namespace berth::api::scheme {

// Reports whether Kubernetes v1.36 has the kind, whether or not the scheme serves it.
bool IsKubernetesKind(std::string_view api_version, std::string_view kind);

// Reports whether the kind may be that of a CustomResourceDefinition: its group has a dot, as the
// groups of custom resources must, and is neither one of Kubernetes nor a misspelling of one.
bool MayBeCustomResource(std::string_view api_version);

// Returns kubectl's message for a kind that does not exist, with the most similar one that does:
//   no matches for kind "Nodee" in version "v1"; did you mean Node?
std::string UnknownKindMessage(std::string_view api_version, std::string_view kind);

}  // namespace berth::api::scheme
