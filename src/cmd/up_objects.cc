#include "cmd/up_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/yaml_stream.h"
#include "api/timestamp.h"
#include "apiserver/admission/metadata.h"
#include "cmd/object_files.h"

namespace berth::cmd {
namespace {

using api::Json;
using api::JsonArray;
using api::JsonObject;

constexpr const char* kZones[] = {"zone-a", "zone-b", "zone-c"};

struct Size {
  const char* name;
  const char* cpu;
  const char* memory;
};
// Half of the nodes are medium.
constexpr Size kSizes[] = {{"medium", "16", "64Gi"},
                           {"small", "8", "32Gi"},
                           {"medium", "16", "64Gi"},
                           {"large", "32", "128Gi"}};

// Ready at creation: otherwise the node would be tainted until its kubelet reports.
JsonArray Conditions(const std::string& now) {
  const auto condition = [&](const char* type, const char* status, const char* reason) {
    return JsonObject{{"type", type},
                      {"status", status},
                      {"reason", reason},
                      {"lastHeartbeatTime", now},
                      {"lastTransitionTime", now}};
  };
  JsonArray conditions;
  conditions.push_back(condition("MemoryPressure", "False", "KubeletHasSufficientMemory"));
  conditions.push_back(condition("DiskPressure", "False", "KubeletHasNoDiskPressure"));
  conditions.push_back(condition("PIDPressure", "False", "KubeletHasSufficientPID"));
  conditions.push_back(condition("Ready", "True", "KubeletReady"));
  return conditions;
}

Json NodeJson(size_t index, size_t digits, const std::string& now) {
  const std::string name = fmt::format("node-{:0{}}", index + 1, digits);
  const size_t zone = index % std::size(kZones);
  const Size& size = kSizes[index / std::size(kZones) % std::size(kSizes)];
  const JsonObject capacity{
      {"cpu", size.cpu}, {"memory", size.memory}, {"ephemeral-storage", "100Gi"}, {"pods", "110"}};
  return {{"kind", "Node"},
          {"apiVersion", "v1"},
          {"metadata",
           {{"name", name},
            {"labels",
             {{"kubernetes.io/hostname", name},
              {"kubernetes.io/os", "linux"},
              {"kubernetes.io/arch", "amd64"},
              {"node.kubernetes.io/instance-type", size.name},
              {"topology.kubernetes.io/region", "region-1"},
              {"topology.kubernetes.io/zone", kZones[zone]}}}}},
          {"status",
           {{"capacity", capacity}, {"allocatable", capacity}, {"conditions", Conditions(now)}}}};
}

}  // namespace

Status MakeNodes(apiserver::registry::Api& api, size_t count) {
  const api::scheme::Kind& nodes = api::scheme::KindOf("nodes");
  const size_t digits = std::max<size_t>(4, fmt::formatted_size("{}", count));
  const std::string now = api::FormatTime(api.now());
  for (size_t i = 0; i < count; ++i) {
    const auto created = api.Create(nodes, "", NodeJson(i, digits, now));
    if (!created && created.error().reason != "AlreadyExists") {
      return Fail(fmt::format("--nodes: {}", created.error().message));
    }
  }
  return {};
}

namespace {

using api::Json;
using api::JsonObject;
using api::StringAt;
using api::scheme::ApiResult;
using apiserver::registry::Written;

// Creates or updates one object of a document.
using Visit = std::function<Status(Json object)>;

void Add(AppliedObjects& out, const std::string& where, const Error& error) {
  out.errors.push_back(fmt::format("{}: {}", where, error.message));
}

// Calls `visit` for each object of a List, or for the document itself. Errors begin with `where`.
void ApplyDocument(std::string_view text, const std::string& where, const Visit& visit,
                   AppliedObjects& out) {
  const auto apply = [&](Json object, const std::string& place) {
    const Status visited = visit(std::move(object));
    if (!visited) return Add(out, place, visited.error());
    ++out.applied;
  };
  auto document = api::ParseJson(text);
  if (!document) return Add(out, where, document.error());
  JsonObject* object = document->if_object();
  if (object == nullptr) return Add(out, where, Error{"not an object"});
  JsonArray* items = api::ArrayAt(object, "items");
  if (items == nullptr || !StringAt(object, "kind").ends_with("List")) {
    return apply(*std::move(document), where);
  }
  for (size_t i = 0; i < items->size(); ++i) {
    apply(std::move((*items)[i]), fmt::format("{}: items[{}]", where, i));
  }
}

// Calls `visit` for each object of a file. Returns an error if the file cannot be read.
Status ApplyFile(const std::string& path, std::string_view flag, const Visit& visit,
                 AppliedObjects& out) {
  const std::string name = path == "-" ? "standard input" : path;
  const auto text = ReadText(path, flag);
  if (!text) return std::unexpected(text.error());
  api::YamlStream stream(*text);
  for (int number = 1;; ++number) {
    const auto document = stream.Next();
    if (!document) {
      // Where the next document begins is unknown.
      Add(out, name, document.error());
      return {};
    }
    if (!*document) return {};
    if (**document == "null") continue;
    ApplyDocument(**document, fmt::format("{}: document {}", name, number), visit, out);
  }
}

Result<api::scheme::KindPtr> KindOf(const apiserver::registry::Api& api, const JsonObject& object) {
  const std::string_view version = StringAt(&object, "apiVersion");
  const std::string_view kind = StringAt(&object, "kind");
  if (version.empty()) return Fail("apiVersion not set");
  if (kind.empty()) return Fail("kind not set");
  api::scheme::KindPtr found = api.kinds()->FindByName(version, kind);
  if (found == nullptr)
    return Fail(fmt::format("no matches for kind \"{}\" in version \"{}\"", kind, version));
  return found;
}

// Removes the fields that identify an object in the cluster it was dumped from.
void ClearServerFields(JsonObject& object) {
  if (JsonObject* metadata = api::ObjectAt(&object, "metadata")) {
    metadata->erase("resourceVersion");
    metadata->erase("uid");
    metadata->erase("managedFields");
  }
}

Status Apply(apiserver::registry::Api& api, Json document) {
  JsonObject* object = document.if_object();
  if (object == nullptr) return Fail("not an object");
  const auto kind = KindOf(api, *object);
  if (!kind) return std::unexpected(kind.error());
  ClearServerFields(*object);
  const JsonObject* metadata = apiserver::admission::MetadataOf(std::as_const(*object));
  std::string space;
  if ((*kind)->namespaced) {
    space = StringAt(metadata, "namespace");
    if (space.empty()) space = "default";
  }
  const apiserver::store::ObjectName name{space, std::string(StringAt(metadata, "name"))};
  apiserver::registry::WriteOptions options;
  options.field_validation = apiserver::registry::FieldValidation::kStrict;
  options.field_manager = "berth-up";
  options.force = true;
  ApiResult<Written> written = api.Create(**kind, space, document, options);
  if (!written && written.error().reason == "AlreadyExists") {
    written = api.Patch(**kind, name, "", apiserver::patch::PatchType::kApply, document, options);
  }
  if (!written) return Fail(written.error().message);
  return {};
}

Status CreateNode(apiserver::registry::Api& api, const Json& document) {
  const JsonObject* given = document.if_object();
  if (StringAt(given, "kind") != "Node") {
    return Fail(
        fmt::format("kind \"{}\" is not Node; use -f for other kinds", StringAt(given, "kind")));
  }
  JsonObject metadata;
  const JsonObject* from = api::ObjectAt(given, "metadata");
  for (const char* key : {"name", "labels", "annotations"}) {
    if (const Json* value = api::At(from, key)) metadata[key] = *value;
  }
  JsonObject node{{"kind", "Node"}, {"apiVersion", "v1"}, {"metadata", std::move(metadata)}};
  for (const char* key : {"spec", "status"}) {
    if (const Json* value = api::At(given, key)) node[key] = *value;
  }
  const auto created = api.Create(api::scheme::KindOf("nodes"), "", std::move(node));
  if (created || created.error().reason == "AlreadyExists") return {};
  return Fail(created.error().message);
}

}  // namespace

Result<AppliedObjects> ApplyFiles(apiserver::registry::Api& api,
                                  const std::vector<std::string>& paths) {
  AppliedObjects applied;
  for (const std::string& path : paths) {
    const auto files = ObjectFilesIn(path);
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) {
      const Status read = ApplyFile(
          file, file == path ? "--filename" : "",
          [&](Json object) { return Apply(api, std::move(object)); }, applied);
      if (!read) return std::unexpected(read.error());
    }
  }
  return applied;
}

Result<size_t> ApplyNodes(apiserver::registry::Api& api, const std::string& path) {
  AppliedObjects applied;
  const Status read = ApplyFile(
      path, "--nodes-from", [&](const Json& object) { return CreateNode(api, object); }, applied);
  if (!read) return std::unexpected(read.error());
  if (!applied.errors.empty()) return Fail(applied.errors.front());
  return applied.applied;
}

}  // namespace berth::cmd
