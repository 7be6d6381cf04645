#include "apiserver/openapi/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/json/writer.h"
#include "base/kubernetes_version.h"

namespace berth::apiserver::openapi {
namespace {

using api::JsonWriter;

void Field(JsonWriter& out, std::string_view key, std::string_view value) {
  out.Key(key);
  out.String(value);
}

void Strings(JsonWriter& out, std::string_view key, const std::vector<std::string_view>& values) {
  out.Key(key);
  out.BeginArray();
  for (const std::string_view value : values) out.String(value);
  out.EndArray();
}

// Writes the list unless it is empty.
void SomeStrings(JsonWriter& out, std::string_view key,
                 const std::vector<std::string_view>& values) {
  if (!values.empty()) Strings(out, key, values);
}

using Kinds = std::vector<const api::scheme::Kind*>;

// Stands for the kinds of metrics, of which there are none.
const api::scheme::Kind& NoMetrics() {
  static const api::scheme::Kind kind{
      .group = kMetricsGroup,
      .version = kMetricsVersion,
      .group_version = fmt::format("{}/{}", kMetricsGroup, kMetricsVersion)};
  return kind;
}

// A group with its versions in the order of preference, each with its kinds.
struct Group {
  std::string_view name;
  std::vector<Kinds> versions;
};

// Returns the groups in the order of `kinds`, in which those of a group are adjacent.
std::vector<Group> GroupsOf(const KindSet& kinds) {
  std::vector<Group> groups;
  for (const api::scheme::Kind* kind : kinds.all()) {
    if (groups.empty() || groups.back().name != kind->group) groups.push_back({kind->group, {}});
    std::vector<Kinds>& versions = groups.back().versions;
    const auto found = std::ranges::find(
        versions, kind->version, [](const Kinds& version) { return version.front()->version; });
    if (found == versions.end()) {
      versions.push_back({kind});
    } else {
      found->push_back(kind);
    }
  }
  for (Group& group : groups) {
    std::ranges::stable_sort(group.versions, [](const Kinds& a, const Kinds& b) {
      return api::scheme::IsPreferredVersion(a.front()->version, b.front()->version);
    });
  }
  groups.push_back({kMetricsGroup, {{&NoMetrics()}}});
  return groups;
}

void ResponseKind(JsonWriter& out, std::string_view group, std::string_view version,
                  std::string_view kind) {
  out.Key("responseKind");
  out.BeginObject();
  Field(out, "group", group);
  Field(out, "version", version);
  Field(out, "kind", kind);
  out.EndObject();
}

void AggregatedSubresource(JsonWriter& out, const api::scheme::Subresource& subresource) {
  out.BeginObject();
  Field(out, "subresource", subresource.name);
  ResponseKind(out, subresource.group, subresource.version, subresource.kind);
  Strings(out, "verbs", subresource.verbs);
  out.EndObject();
}

void AggregatedResource(JsonWriter& out, const api::scheme::Kind& kind) {
  out.BeginObject();
  Field(out, "resource", kind.resource);
  ResponseKind(out, "", "", kind.kind);  // Empty: those of the enclosing document.
  Field(out, "scope", kind.namespaced ? "Namespaced" : "Cluster");
  Field(out, "singularResource", kind.singular);
  Strings(out, "verbs", kind.verbs);
  SomeStrings(out, "shortNames", kind.short_names);
  SomeStrings(out, "categories", kind.categories);
  if (!kind.subresources.empty()) {
    out.Key("subresources");
    out.BeginArray();
    for (const api::scheme::Subresource& subresource : kind.subresources)
      AggregatedSubresource(out, subresource);
    out.EndArray();
  }
  out.EndObject();
}

void AggregatedGroup(JsonWriter& out, const Group& group) {
  out.BeginObject();
  out.Key("metadata");
  out.BeginObject();
  if (!group.name.empty()) Field(out, "name", group.name);
  out.EndObject();
  out.Key("versions");
  out.BeginArray();
  for (const Kinds& version : group.versions) {
    out.BeginObject();
    Field(out, "version", version.front()->version);
    out.Key("resources");
    out.BeginArray();
    for (const api::scheme::Kind* kind : version) {
      if (kind != &NoMetrics()) AggregatedResource(out, *kind);
    }
    out.EndArray();
    Field(out, "freshness", "Current");
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
}

void GroupVersion(JsonWriter& out, const api::scheme::Kind& kind) {
  out.BeginObject();
  Field(out, "groupVersion", kind.api_version());
  Field(out, "version", kind.version);
  out.EndObject();
}

// Writes the fields of an APIGroup into the current object.
void GroupFields(JsonWriter& out, const Group& group) {
  Field(out, "name", group.name);
  out.Key("versions");
  out.BeginArray();
  for (const Kinds& version : group.versions) GroupVersion(out, *version.front());
  out.EndArray();
  out.Key("preferredVersion");
  GroupVersion(out, *group.versions.front().front());
}

void Resource(JsonWriter& out, const api::scheme::Kind& kind) {
  out.BeginObject();
  Field(out, "name", kind.resource);
  Field(out, "singularName", kind.singular);
  out.Key("namespaced");
  out.Bool(kind.namespaced);
  Field(out, "kind", kind.kind);
  Strings(out, "verbs", kind.verbs);
  SomeStrings(out, "shortNames", kind.short_names);
  SomeStrings(out, "categories", kind.categories);
  out.EndObject();
}

void ResourceOf(JsonWriter& out, const api::scheme::Kind& kind,
                const api::scheme::Subresource& subresource) {
  out.BeginObject();
  Field(out, "name", std::string(kind.resource) + "/" + std::string(subresource.name));
  Field(out, "singularName", "");
  out.Key("namespaced");
  out.Bool(kind.namespaced);
  if (!subresource.group.empty()) Field(out, "group", subresource.group);
  if (!subresource.version.empty()) Field(out, "version", subresource.version);
  Field(out, "kind", subresource.kind);
  Strings(out, "verbs", subresource.verbs);
  out.EndObject();
}

// Starts a document of `kind`; the caller ends it.
JsonWriter Document(std::string_view kind, std::string_view api_version) {
  JsonWriter out;
  out.BeginObject();
  Field(out, "kind", kind);
  Field(out, "apiVersion", api_version);
  return out;
}

std::string Finish(JsonWriter out) {
  out.EndObject();
  return out.Take();
}

constexpr std::string_view kPlatform =
#if defined(__aarch64__)
    "linux/arm64";
#else
    "linux/amd64";
#endif

}  // namespace

std::string AggregatedDiscovery(const KindSet& kinds, bool core, std::string_view version) {
  JsonWriter out = Document("APIGroupDiscoveryList", "apidiscovery.k8s.io/" + std::string(version));
  out.Key("metadata");
  out.BeginObject();
  out.EndObject();
  out.Key("items");
  out.BeginArray();
  for (const Group& group : GroupsOf(kinds)) {
    if (group.name.empty() == core) AggregatedGroup(out, group);
  }
  out.EndArray();
  return Finish(std::move(out));
}

std::string ApiVersions() {
  JsonWriter out;
  out.BeginObject();
  Field(out, "kind", "APIVersions");
  Strings(out, "versions", {"v1"});
  out.Key("serverAddressByClientCIDRs");
  out.BeginArray();
  out.EndArray();
  return Finish(std::move(out));
}

std::string ApiGroupList(const KindSet& kinds) {
  JsonWriter out = Document("APIGroupList", "v1");
  out.Key("groups");
  out.BeginArray();
  for (const Group& group : GroupsOf(kinds)) {
    if (group.name.empty()) continue;
    out.BeginObject();
    GroupFields(out, group);
    out.EndObject();
  }
  out.EndArray();
  return Finish(std::move(out));
}

std::optional<std::string> ApiGroup(const KindSet& kinds, std::string_view group) {
  const auto groups = GroupsOf(kinds);
  const auto found = std::ranges::find(groups, group, &Group::name);
  if (found == groups.end() || group.empty()) return std::nullopt;
  JsonWriter out = Document("APIGroup", "v1");
  GroupFields(out, *found);
  return Finish(std::move(out));
}

std::optional<std::string> ApiResourceList(const KindSet& kinds, std::string_view group,
                                           std::string_view version) {
  JsonWriter out = Document("APIResourceList", "v1");
  bool any = false;
  for (const api::scheme::Kind* kind : kinds.all()) {
    if (kind->group != group || kind->version != version) continue;
    if (!any) {
      any = true;
      Field(out, "groupVersion", kind->api_version());
      out.Key("resources");
      out.BeginArray();
    }
    Resource(out, *kind);
    for (const api::scheme::Subresource& subresource : kind->subresources)
      ResourceOf(out, *kind, subresource);
  }
  if (!any && group == kMetricsGroup && version == kMetricsVersion) {
    any = true;
    Field(out, "groupVersion", NoMetrics().api_version());
    out.Key("resources");
    out.BeginArray();
  }
  if (!any) return std::nullopt;
  out.EndArray();
  return Finish(std::move(out));
}

std::string VersionInfo() {
  JsonWriter out;
  out.BeginObject();
  Field(out, "major", "1");
  Field(out, "minor", std::to_string(kKubernetesMinor));
  // Clients parse it as a semantic version and compare.
  Field(out, "gitVersion", fmt::format("v{}", kKubernetesVersion));
  Field(out, "gitCommit", "");
  Field(out, "gitTreeState", "clean");
  Field(out, "buildDate", "1970-01-01T00:00:00Z");
  Field(out, "goVersion", "");
  Field(out, "compiler", "gcc");
  Field(out, "platform", kPlatform);
  return Finish(std::move(out));
}

}  // namespace berth::apiserver::openapi
