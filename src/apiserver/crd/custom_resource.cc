#include "apiserver/crd/custom_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/crd/rule_compiler.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::crd {
namespace {

const std::vector<std::string_view> kResourceVerbs = {
    "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
const std::vector<std::string_view> kSubresourceVerbs = {"get", "patch", "update"};

std::vector<std::string> TextsAt(const api::JsonObject* object, std::string_view key) {
  std::vector<std::string> texts;
  const api::JsonArray* list = api::ArrayAt(object, key);
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    texts.emplace_back(api::AsString((*list)[i]));
  }
  return texts;
}

std::vector<std::string_view> ViewsOf(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

std::vector<PrinterColumn> ColumnsOf(const api::JsonObject& version) {
  std::vector<PrinterColumn> columns;
  const api::JsonArray* list = api::ArrayAt(&version, "additionalPrinterColumns");
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const api::JsonObject* column = api::AsObject((*list)[i]);
    const std::string_view path = api::StringAt(column, "jsonPath");
    std::string description(api::StringAt(column, "description"));
    if (description.empty()) {
      description = fmt::format("Custom resource definition column (in JSONPath format): {}", path);
    }
    columns.push_back({.name = std::string(api::StringAt(column, "name")),
                       .type = std::string(api::StringAt(column, "type")),
                       .format = std::string(api::StringAt(column, "format")),
                       .description = std::move(description),
                       .priority = api::IntAt(column, "priority").value_or(0),
                       .path = JsonPath::Parse(path)});
  }
  if (list == nullptr || list->empty()) {
    columns.push_back({.name = "Age",
                       .type = "date",
                       .format = "",
                       .description = "Time since the object was created.",
                       .path = JsonPath::Parse(".metadata.creationTimestamp")});
  }
  return columns;
}

std::optional<ScalePaths> ScaleOf(const api::JsonObject* subresources) {
  const api::JsonObject* scale = api::ObjectAt(subresources, "scale");
  if (scale == nullptr) return std::nullopt;
  const std::string_view spec = api::StringAt(scale, "specReplicasPath");
  const std::string_view selector = api::StringAt(scale, "labelSelectorPath");
  return ScalePaths{.spec_replicas = SplitPath(spec),
                    .status_replicas = SplitPath(api::StringAt(scale, "statusReplicasPath")),
                    .selector = selector.empty() ? std::vector<std::string>() : SplitPath(selector),
                    .spec_text = std::string(spec)};
}

}  // namespace

std::vector<std::string> SplitPath(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  std::vector<std::string> names;
  while (true) {
    const size_t dot = path.find('.');
    names.emplace_back(path.substr(0, dot));
    if (dot == path.npos) return names;
    path.remove_prefix(dot + 1);
  }
}

std::string CustomResource::CollectionName(std::string_view group, std::string_view plural) {
  return fmt::format("{}{}/{}", store::kAddedPrefix, group, plural);
}

const CustomVersion* CustomResource::FindVersion(std::string_view name) const {
  const auto found = std::ranges::find(versions_, name, &CustomVersion::name);
  return found == versions_.end() ? nullptr : &*found;
}

api::Json CustomResource::ReadSchema(const CustomVersion& version) const {
  const api::Json parsed = store::Parse(*object_);
  const api::JsonArray* versions =
      api::ArrayAt(api::ObjectAt(api::AsObject(parsed), "spec"), "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const api::JsonObject* each = api::AsObject((*versions)[i]);
    if (api::StringAt(each, "name") != version.name) continue;
    const api::Json* schema = api::At(api::ObjectAt(each, "schema"), "openAPIV3Schema");
    if (schema != nullptr) return *schema;
  }
  return {};
}

std::optional<std::string> CustomResource::AddVersion(const api::JsonObject& version,
                                                      SchemaBudget& budget) {
  CustomVersion& added = versions_.emplace_back(*this);
  added.name = api::StringAt(&version, "name");
  added.served = api::BoolAt(&version, "served");
  added.storage = api::BoolAt(&version, "storage");
  const api::JsonObject* schema =
      api::ObjectAt(api::ObjectAt(&version, "schema"), "openAPIV3Schema");
  if (schema != nullptr) {
    auto compiled = CompileSchema(*schema, budget);
    if (!compiled) return compiled.error().message;
    added.schema = *std::move(compiled);
    CompileRules(added.schema, budget, nullptr);
    added.schema_hash = std::hash<std::string>()(api::ToCanonicalJson(*schema));
  }
  added.columns = ColumnsOf(version);
  const api::JsonArray* fields = api::ArrayAt(&version, "selectableFields");
  for (size_t i = 0; fields != nullptr && i < fields->size(); ++i) {
    std::string_view path = api::StringAt(api::AsObject((*fields)[i]), "jsonPath");
    if (path.starts_with('.')) path.remove_prefix(1);
    added.selectable_fields.emplace_back(path);
  }
  const api::JsonObject* subresources = api::ObjectAt(&version, "subresources");
  added.kind.has_status = api::At(subresources, "status") != nullptr;
  added.scale = ScaleOf(subresources);
  if (api::BoolAt(&version, "deprecated")) {
    added.deprecation_warning = api::StringAt(&version, "deprecationWarning");
    if (added.deprecation_warning.empty()) {
      added.deprecation_warning = fmt::format("{}/{} {} is deprecated", group_, added.name, kind_);
    }
  }
  FillKind(added);
  if (added.storage) storage_ = &added;
  return std::nullopt;
}

void CustomResource::FillKind(CustomVersion& version) const {
  api::scheme::Kind& kind = version.kind;
  kind.group = group_;
  kind.version = version.name;
  kind.resource = plural_;
  kind.kind = kind_;
  kind.singular = singular_;
  kind.namespaced = namespaced_;
  kind.verbs = kResourceVerbs;
  kind.short_names = ViewsOf(short_names_);
  kind.categories = ViewsOf(categories_);
  kind.selectable_fields = ViewsOf(version.selectable_fields);
  kind.collection = collection_;
  kind.unconditional_update = false;
  kind.custom = &version;
  kind.group_version = group_ + "/" + version.name;
  if (kind.has_status) {
    kind.subresources.push_back(
        {.name = "status", .kind = kind_, .group = {}, .version = {}, .verbs = kSubresourceVerbs});
  }
  if (version.scale) {
    kind.subresources.push_back({.name = "scale",
                                 .kind = "Scale",
                                 .group = "autoscaling",
                                 .version = "v1",
                                 .verbs = kSubresourceVerbs});
  }
  version.json_prefix = "{\"kind\":";
  api::AppendJsonString(version.json_prefix, kind_);
  version.json_prefix += ",\"apiVersion\":";
  api::AppendJsonString(version.json_prefix, kind.group_version);
  version.json_prefix += ',';
}

std::expected<std::shared_ptr<const CustomResource>, std::string> CustomResource::Make(
    const api::JsonObject& definition, const Options& options) {
  std::shared_ptr<CustomResource> resource(new CustomResource());
  const api::JsonObject* metadata = api::ObjectAt(&definition, "metadata");
  const api::JsonObject* spec = api::ObjectAt(&definition, "spec");
  const api::JsonObject* names =
      api::ObjectAt(api::ObjectAt(&definition, "status"), "acceptedNames");
  resource->object_ = options.object;
  resource->collection_ = options.collection;
  resource->name_ = api::StringAt(metadata, "name");
  resource->uid_ = api::StringAt(metadata, "uid");
  resource->generation_ = api::IntAt(metadata, "generation").value_or(0);
  resource->terminating_ = api::At(metadata, "deletionTimestamp") != nullptr;
  resource->group_ = api::StringAt(spec, "group");
  resource->namespaced_ = api::StringAt(spec, "scope") == "Namespaced";
  resource->plural_ = api::StringAt(names, "plural");
  resource->singular_ = api::StringAt(names, "singular");
  resource->kind_ = api::StringAt(names, "kind");
  resource->list_kind_ = api::StringAt(names, "listKind");
  resource->short_names_ = TextsAt(names, "shortNames");
  resource->categories_ = TextsAt(names, "categories");
  SchemaBudget budget;
  const api::JsonArray* versions = api::ArrayAt(spec, "versions");
  for (size_t i = 0; versions != nullptr && i < versions->size(); ++i) {
    const api::JsonObject* version = api::AsObject((*versions)[i]);
    if (version == nullptr) continue;
    if (auto error = resource->AddVersion(*version, budget)) return std::unexpected(*error);
  }
  if (resource->storage_ == nullptr) return std::unexpected("it has no storage version");
  for (CustomVersion& version : resource->versions_) version.stored = &resource->storage_->kind;
  const CustomResource* before = options.before;
  const bool same_storage = before != nullptr && before->uid_ == resource->uid_ &&
                            before->storage_->name == resource->storage_->name &&
                            before->storage_->schema_hash == resource->storage_->schema_hash;
  resource->current_since_ = same_storage ? before->current_since_ : options.object->version;
  return resource;
}

}  // namespace berth::apiserver::crd
