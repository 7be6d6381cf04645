// The scheme is the table of kinds that the API server serves. Routes, discovery, OpenAPI, storage
// and generic handling are derived from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api::scheme {

struct Subresource {
  std::string_view name = {};  // "status"
  std::string_view kind = {};  // "Scale"; the kind itself for status.
  std::string_view group = {};
  std::string_view version = {};  // Group and version of that kind; empty if the resource's.
  std::vector<std::string_view> verbs = {};
};

struct Kind;

// CustomKind is the base of what a CustomResourceDefinition adds to a kind (apiserver/crd).
struct CustomKind {
  const Kind* stored = nullptr;  // The kind of the storage version.
};

struct Kind {
  std::string_view group = {};     // "" for core.
  std::string_view version = {};   // "v1"
  std::string_view resource = {};  // "pods"
  std::string_view kind = {};      // "Pod"
  std::string_view singular = {};  // "pod"
  bool namespaced = true;
  std::vector<std::string_view> verbs = {};
  std::vector<std::string_view> short_names = {};
  std::vector<std::string_view> categories = {};
  std::vector<Subresource> subresources = {};
  // Fields besides metadata.name and metadata.namespace that field selectors support; the store
  // has their values in this order.
  std::vector<std::string_view> selectable_fields = {};
  // The collection of the kind's objects; of a built-in kind an index into CollectionNames(). Both
  // kinds of events share one, and so do the versions of a kind.
  uint32_t collection = 0;

  bool has_generation = true;
  bool has_status = false;             // Writes ignore the status, writes to /status all else.
  bool unconditional_update = true;    // PUT without resourceVersion is allowed.
  bool create_on_update = false;       // PUT of a missing name creates it.
  bool stored = true;                  // False for reviews and bindings.
  bool alpha_workload = false;         // Served only with the feature gate GenericWorkload.
  const CustomKind* custom = nullptr;  // Null for built-in kinds.

  std::string group_version = {};  // The value of api_version(), derived from group and version.
  std::string_view api_version() const { return group_version; }  // "apps/v1"
  std::string group_resource() const;                             // "deployments.apps", "pods"
  const Subresource* FindSubresource(std::string_view name) const;
  // Reports whether this is the built-in kind of that name. Custom kinds may have the same name in
  // other groups: Job, Service.
  bool IsBuiltIn(std::string_view name) const { return custom == nullptr && kind == name; }
};

// Returns all built-in kinds: core first, then by group. A server also serves the kinds of
// CustomResourceDefinitions (kind_set.h).
std::span<const Kind> Kinds();
// The Find functions return null if there is no such kind.
const Kind* FindKind(std::string_view group, std::string_view version, std::string_view resource);
const Kind* FindKindByName(std::string_view api_version, std::string_view kind);
// Returns the kind of "pods" or "deployments.apps", which must exist, in its preferred version.
const Kind& KindOf(std::string_view group_resource);

// Returns the kind in whose form the objects of `kind` are stored: core events for events.k8s.io,
// the storage version of a custom kind, the preferred version of others.
const Kind& StoredKind(const Kind& kind);

// Returns the names of all collections, in the order of Kind::collection.
std::vector<std::string> CollectionNames();

}  // namespace berth::api::scheme
