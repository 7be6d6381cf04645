// The kinds that the API server serves: one table, from which routes, discovery, OpenAPI, storage
// and generic handling follow.
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
  std::string_view version = {};  // Group and version of that kind; empty: as the resource.
  std::vector<std::string_view> verbs = {};
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
  // Fields besides metadata.name and metadata.namespace that a field selector may name; the store
  // keeps their values in this order.
  std::vector<std::string_view> selectable_fields = {};
  // Index into CollectionNames() of where the kind's objects live; both kinds of events share one.
  uint16_t collection = 0;

  bool has_generation = true;
  bool has_status = false;           // Main writes keep the status, /status writes the rest.
  bool unconditional_update = true;  // PUT without resourceVersion is allowed.
  bool create_on_update = false;     // PUT of a missing name creates it.
  bool stored = true;                // False: reviews, answered and forgotten.

  std::string group_version = {};  // What api_version() returns; the table fills it in.
  std::string_view api_version() const { return group_version; }  // "apps/v1"
  std::string group_resource() const;                             // "deployments.apps", "pods"
  const Subresource* FindSubresource(std::string_view name) const;
};

// All of them; core first, then by group.
std::span<const Kind> Kinds();
// Null if there is none.
const Kind* FindKind(std::string_view group, std::string_view version, std::string_view resource);
const Kind* FindKindByName(std::string_view api_version, std::string_view kind);
// Of a kind known to exist: the core kinds by resource, for code that is about them.
const Kind& KindOf(std::string_view group_resource);  // "pods", "deployments.apps"

// The names of all collections, in the order of Kind::collection.
std::vector<std::string> CollectionNames();

}  // namespace berth::api::scheme
