#include "cmd/up_files.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <utility>

#include "admission/metadata.h"
#include "api/yaml_stream.h"
#include "cmd/object_files.h"
#include "kinds/json_access.h"
#include "kinds/json_numbers.h"

namespace berth {
namespace {

using apiserver::ApiResult;
using apiserver::Json;
using apiserver::JsonObject;
using apiserver::StringAt;
using apiserver::Written;

// What becomes of one object of a document.
using Take = std::function<Status(Json object)>;

constexpr int kMaxDepth = 200;

// The objects of a List, or the document itself.
Result<size_t> TakeDocument(std::string_view text, const Take& take) {
  boost::json::error_code error;
  boost::json::parse_options limits;
  limits.max_depth = kMaxDepth;
  Json document = boost::json::parse(text, error, {}, limits);
  if (error) return Fail(error.message());
  if (!apiserver::HasFiniteNumbers(document)) return Fail("a number is out of range");
  JsonObject* object = document.if_object();
  if (object == nullptr) return Fail("not an object");
  auto* items = apiserver::ArrayAt(object, "items");
  if (items == nullptr || !StringAt(object, "kind").ends_with("List")) {
    if (auto taken = take(std::move(document)); !taken) return std::unexpected(taken.error());
    return 1;
  }
  for (size_t i = 0; i < items->size(); ++i) {
    if (auto taken = take(std::move((*items)[i])); !taken) {
      return Fail(fmt::format("items[{}]: {}", i, taken.error().message));
    }
  }
  return items->size();
}

Result<size_t> TakeFile(const std::string& path, const Take& take) {
  const std::string name = path == "-" ? "standard input" : path;
  const auto text = ReadText(path);
  if (!text) return std::unexpected(text.error());
  api::YamlStream stream(*text);
  size_t count = 0;
  for (int number = 1;; ++number) {
    const auto document = stream.Next();
    if (!document) return Fail(fmt::format("{}: {}", name, document.error().message));
    if (!*document) return count;
    if (**document == "null") continue;
    const auto taken = TakeDocument(**document, take);
    if (!taken) {
      return Fail(fmt::format("{}: document {}: {}", name, number, taken.error().message));
    }
    count += *taken;
  }
}

Result<const apiserver::Kind*> KindOf(const JsonObject& object) {
  const std::string_view version = StringAt(&object, "apiVersion");
  const std::string_view kind = StringAt(&object, "kind");
  if (version.empty()) return Fail("apiVersion is missing");
  if (kind.empty()) return Fail("kind is missing");
  const apiserver::Kind* found = apiserver::FindKindByName(version, kind);
  if (found == nullptr) return Fail(fmt::format("there is no kind {} in {}", kind, version));
  return found;
}

// An object that was printed by a cluster tells its version there.
void ForgetVersion(JsonObject& object) {
  if (JsonObject* metadata = apiserver::ObjectAt(&object, "metadata")) {
    metadata->erase("resourceVersion");
    metadata->erase("uid");
    metadata->erase("managedFields");
  }
}

Status Apply(apiserver::Api& api, Json document) {
  JsonObject* object = document.if_object();
  if (object == nullptr) return Fail("not an object");
  const auto kind = KindOf(*object);
  if (!kind) return std::unexpected(kind.error());
  ForgetVersion(*object);
  const JsonObject* metadata = apiserver::MetadataOf(std::as_const(*object));
  std::string space;
  if ((*kind)->namespaced) {
    space = StringAt(metadata, "namespace");
    if (space.empty()) space = "default";
  }
  const store::ObjectName name{space, std::string(StringAt(metadata, "name"))};
  apiserver::WriteOptions options;
  options.field_validation = apiserver::FieldValidation::kStrict;
  options.field_manager = "berth-up";
  options.force = true;
  ApiResult<Written> written = api.Create(**kind, space, document, options);
  if (!written && written.error().reason == "AlreadyExists") {
    written = api.Patch(**kind, name, "", apiserver::PatchType::kApply, document, options);
  }
  if (!written) return Fail(written.error().message);
  return {};
}

Status CreateNode(apiserver::Api& api, const Json& document) {
  const JsonObject* given = document.if_object();
  if (StringAt(given, "kind") != "Node") {
    return Fail(fmt::format("kind is \"{}\", but only nodes may be there; -f takes all kinds",
                            StringAt(given, "kind")));
  }
  JsonObject metadata;
  const JsonObject* from = apiserver::ObjectAt(given, "metadata");
  for (const char* key : {"name", "labels", "annotations"}) {
    if (const Json* value = apiserver::At(from, key)) metadata[key] = *value;
  }
  JsonObject node{{"kind", "Node"}, {"apiVersion", "v1"}, {"metadata", std::move(metadata)}};
  for (const char* key : {"spec", "status"}) {
    if (const Json* value = apiserver::At(given, key)) node[key] = *value;
  }
  const auto created = api.Create(apiserver::KindOf("nodes"), "", std::move(node));
  if (created || created.error().reason == "AlreadyExists") return {};
  return Fail(created.error().message);
}

}  // namespace

Result<size_t> ApplyFiles(apiserver::Api& api, const std::vector<std::string>& paths) {
  size_t count = 0;
  for (const std::string& path : paths) {
    const auto files = ObjectFilesIn(path);
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) {
      const auto taken = TakeFile(file, [&](Json object) { return Apply(api, std::move(object)); });
      if (!taken) return taken;
      count += *taken;
    }
  }
  return count;
}

Result<size_t> ApplyNodes(apiserver::Api& api, const std::string& path) {
  return TakeFile(path, [&](const Json& object) { return CreateNode(api, object); });
}

}  // namespace berth
