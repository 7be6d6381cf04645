#include "apiserver/openapi/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/json/writer.h"
#include "api/scheme/scheme.h"

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

// Stands for the kinds of metrics.
const api::scheme::Kind& NoMetrics() {
  static const api::scheme::Kind kind{
      .group = kMetricsGroup,
      .version = kMetricsVersion,
      .group_version = fmt::format("{}/{}", kMetricsGroup, kMetricsVersion)};
  return kind;
}

// Returns one kind of each named group, which identifies the group and its preferred version.
std::vector<const api::scheme::Kind*> FirstOfEachGroup() {
  std::vector<const api::scheme::Kind*> firsts;
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) {
    if (kind.group.empty()) continue;
    if (firsts.empty() || firsts.back()->group != kind.group) firsts.push_back(&kind);
  }
  firsts.push_back(&NoMetrics());
  return firsts;
}

// Returns one kind of each version of the group, the preferred version first.
std::vector<const api::scheme::Kind*> FirstOfEachVersion(std::string_view group) {
  std::vector<const api::scheme::Kind*> firsts;
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) {
    if (kind.group != group) continue;
    const bool known =
        std::ranges::find(firsts, kind.version, &api::scheme::Kind::version) != firsts.end();
    if (!known) firsts.push_back(&kind);
  }
  if (group == kMetricsGroup) firsts.push_back(&NoMetrics());
  return firsts;
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

void AggregatedVersion(JsonWriter& out, std::string_view group, std::string_view version) {
  out.BeginObject();
  Field(out, "version", version);
  out.Key("resources");
  out.BeginArray();
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) {
    if (kind.group == group && kind.version == version) AggregatedResource(out, kind);
  }
  out.EndArray();
  Field(out, "freshness", "Current");
  out.EndObject();
}

void AggregatedGroup(JsonWriter& out, std::string_view group) {
  out.BeginObject();
  out.Key("metadata");
  out.BeginObject();
  if (!group.empty()) Field(out, "name", group);
  out.EndObject();
  out.Key("versions");
  out.BeginArray();
  for (const api::scheme::Kind* kind : FirstOfEachVersion(group)) {
    AggregatedVersion(out, group, kind->version);
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
void GroupFields(JsonWriter& out, const api::scheme::Kind& kind) {
  Field(out, "name", kind.group);
  out.Key("versions");
  out.BeginArray();
  for (const api::scheme::Kind* version : FirstOfEachVersion(kind.group)) {
    GroupVersion(out, *version);
  }
  out.EndArray();
  out.Key("preferredVersion");
  GroupVersion(out, kind);
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

std::string AggregatedDiscovery(bool core, std::string_view version) {
  JsonWriter out = Document("APIGroupDiscoveryList", "apidiscovery.k8s.io/" + std::string(version));
  out.Key("metadata");
  out.BeginObject();
  out.EndObject();
  out.Key("items");
  out.BeginArray();
  if (core) {
    AggregatedGroup(out, "");
  } else {
    for (const api::scheme::Kind* kind : FirstOfEachGroup()) AggregatedGroup(out, kind->group);
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

std::string ApiGroupList() {
  JsonWriter out = Document("APIGroupList", "v1");
  out.Key("groups");
  out.BeginArray();
  for (const api::scheme::Kind* kind : FirstOfEachGroup()) {
    out.BeginObject();
    GroupFields(out, *kind);
    out.EndObject();
  }
  out.EndArray();
  return Finish(std::move(out));
}

std::optional<std::string> ApiGroup(std::string_view group) {
  const auto firsts = FirstOfEachGroup();
  const auto found =
      std::ranges::find(firsts, group, [](const api::scheme::Kind* kind) { return kind->group; });
  if (found == firsts.end()) return std::nullopt;
  JsonWriter out = Document("APIGroup", "v1");
  GroupFields(out, **found);
  return Finish(std::move(out));
}

std::optional<std::string> ApiResourceList(std::string_view group, std::string_view version) {
  JsonWriter out = Document("APIResourceList", "v1");
  bool any = false;
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) {
    if (kind.group != group || kind.version != version) continue;
    if (!any) {
      any = true;
      Field(out, "groupVersion", kind.api_version());
      out.Key("resources");
      out.BeginArray();
    }
    Resource(out, kind);
    for (const api::scheme::Subresource& subresource : kind.subresources)
      ResourceOf(out, kind, subresource);
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
  Field(out, "minor", "36");
  // Clients parse it as a semantic version and compare.
  Field(out, "gitVersion", "v1.36.0");
  Field(out, "gitCommit", "");
  Field(out, "gitTreeState", "clean");
  Field(out, "buildDate", "1970-01-01T00:00:00Z");
  Field(out, "goVersion", "");
  Field(out, "compiler", "gcc");
  Field(out, "platform", kPlatform);
  return Finish(std::move(out));
}

}  // namespace berth::apiserver::openapi
