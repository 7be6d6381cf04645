// CustomResource is a resource that a CustomResourceDefinition defines: its kinds, one for each
// version, with all that serving them needs.
//
// Immutable and thread-safe; requests and watches share it. Objects are stored in the form of the
// storage version. Conversion between versions changes only apiVersion (strategy None).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/scheme.h"
#include "apiserver/crd/json_path.h"
#include "apiserver/crd/schema.h"
#include "apiserver/store/store.h"
#include "apiserver/store/stored_object.h"

namespace berth::apiserver::crd {

// The number of printer columns of a version, each of which is evaluated for every row of a table.
inline constexpr size_t kMaxPrinterColumns = 100;

struct PrinterColumn {
  std::string name;
  std::string type;  // "string", "integer", "number", "boolean" or "date".
  std::string format;
  std::string description;
  int64_t priority = 0;
  std::optional<JsonPath> path;  // nullopt: not supported, its cells are empty.
};

// The fields of the scale subresource, as names from the root: {"spec", "replicas"}.
struct ScalePaths {
  std::vector<std::string> spec_replicas;
  std::vector<std::string> status_replicas;
  std::vector<std::string> selector;  // Empty: none.
  std::string spec_text;              // ".spec.replicas"
};

class CustomResource;

struct CustomVersion final : api::scheme::CustomKind {
  explicit CustomVersion(const CustomResource& owner) : resource(owner) {}

  const CustomResource& resource;
  api::scheme::Kind kind;  // Refers to strings here and in the resource.
  std::string name;        // "v1"
  bool served = false;
  bool storage = false;
  std::string deprecation_warning;  // Empty if the version is not deprecated.
  Schema schema;
  size_t schema_hash = 0;  // Of its JSON.
  std::vector<PrinterColumn> columns;
  std::vector<std::string> selectable_fields;  // "spec.color"
  std::optional<ScalePaths> scale;
  // Stored objects of this kind begin with it: `{"kind":"CronTab","apiVersion":"example.com/v1",`.
  std::string json_prefix;
};

// Returns the version of a custom kind; null for built-in kinds.
inline const CustomVersion* VersionOf(const api::scheme::Kind& kind) {
  return static_cast<const CustomVersion*>(kind.custom);
}

class CustomResource {
 public:
  struct Options {
    store::ObjectPtr object;  // The definition as it is stored.
    store::Collection collection = 0;
    const CustomResource* before = nullptr;  // What the definition made before, or null.
  };

  // Makes the resource of a definition. Fails for schemas that cannot be compiled, which validation
  // has rejected (definition.h).
  static std::expected<std::shared_ptr<const CustomResource>, std::string> Make(
      const api::JsonObject& definition, const Options& options);

  CustomResource(const CustomResource&) = delete;
  CustomResource& operator=(const CustomResource&) = delete;

  const std::string& name() const { return name_; }  // "crontabs.example.com"
  const std::string& uid() const { return uid_; }
  int64_t generation() const { return generation_; }
  const std::string& list_kind() const { return list_kind_; }
  store::Collection collection() const { return collection_; }
  // Objects of this store version or a newer one were written by the present schema of the storage
  // version.
  store::Version current_since() const { return current_since_; }
  bool terminating() const { return terminating_; }
  const std::deque<CustomVersion>& versions() const { return versions_; }
  const CustomVersion& storage() const { return *storage_; }
  const CustomVersion* FindVersion(std::string_view name) const;
  // Returns the schema of a version as the definition has it, for OpenAPI. Parses the definition,
  // since a document is much larger than its text and rarely needed.
  api::Json ReadSchema(const CustomVersion& version) const;

  // Returns the collection of a resource in the store.
  static std::string CollectionName(std::string_view group, std::string_view plural);

 private:
  CustomResource() = default;
  std::optional<std::string> AddVersion(const api::JsonObject& version, SchemaBudget& budget);
  void FillKind(CustomVersion& version) const;

  store::ObjectPtr object_;
  store::Collection collection_ = 0;
  store::Version current_since_ = 0;
  std::string name_, uid_, group_, plural_, singular_, kind_, list_kind_;
  std::vector<std::string> short_names_, categories_;
  int64_t generation_ = 0;
  bool namespaced_ = true;
  bool terminating_ = false;
  std::deque<CustomVersion> versions_;
  const CustomVersion* storage_ = nullptr;
};

// Splits ".spec.replicas" at the dots: {"spec", "replicas"}.
std::vector<std::string> SplitPath(std::string_view path);

}  // namespace berth::apiserver::crd
