#include "api/scheme/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/scheme/schema_tables.h"
#include "api/scheme/scheme.h"
#include "base/check.h"

namespace berth::api::scheme {
namespace {

// Removes and returns the text before `separator`, or all of it if there is none.
std::string_view Cut(std::string_view& text, std::string_view separator) {
  const size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + separator.size());
  return head;
}

// Returns "core" for "io.k8s.api.core.v1".
std::string_view ShortName(std::string_view package) {
  package = package.substr(0, package.rfind('.'));
  return package.substr(package.rfind('.') + 1);
}

std::optional<SchemaField::Type> PlainType(std::string_view word) {
  using Type = SchemaField::Type;
  static const std::unordered_map<std::string_view, Type> kTypes = {
      {"string", Type::kString},     {"int", Type::kInt},
      {"long", Type::kLong},         {"double", Type::kDouble},
      {"bool", Type::kBool},         {"bytes", Type::kBytes},
      {"time", Type::kTime},         {"microTime", Type::kTime},
      {"quantity", Type::kQuantity}, {"intOrString", Type::kIntOrString},
      {"object", Type::kObject},     {"any", Type::kAny}};
  const auto found = kTypes.find(word);
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

// Reader parses the tables twice: first the names of types, then their fields, which refer to types
// of any table. The tables are part of the program, so an error in them fails a CHECK.
class Reader {
 public:
  Reader() {
    for (const bool fields : {false, true}) {
      for (const std::string_view table :
           {MetaSchemas(), PodSchemas(), VolumeSchemas(), CoreSchemas(), WorkloadSchemas(),
            StorageSchemas(), OtherSchemas(), ExtensionSchemas()}) {
        ReadTable(table, fields);
      }
    }
    for (Schema& schema : schemas_) std::ranges::sort(schema.fields, {}, &SchemaField::name);
  }

  const std::deque<Schema>& schemas() const { return schemas_; }
  const Schema* Find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  void ReadTable(std::string_view table, bool fields) {
    std::string_view package;
    Schema* schema = nullptr;
    while (!table.empty()) {
      std::string_view line = Cut(table, "\n");
      if (line.empty()) continue;
      if (line.starts_with("  ")) {
        CHECK(schema != nullptr);
        if (fields) ReadFields(line.substr(2), package, *schema);
        continue;
      }
      const std::string_view word = Cut(line, " ");
      if (word == "package") {
        package = line;
        packages_[ShortName(package)] = package;
        continue;
      }
      const std::string_view name = Cut(line, ": ");
      schema = &Named(package, name);
      schema->description = line;
      if (fields && word == "kind") AddKindFields(*schema);
    }
  }

  Schema& Named(std::string_view package, std::string_view name) {
    std::string full = std::string(package) + "." + std::string(name);
    Schema*& schema = by_name_[full];
    if (schema == nullptr) {
      schema = &schemas_.emplace_back();
      schema->name = std::move(full);
    }
    return *schema;
  }

  void ReadFields(std::string_view line, std::string_view package, Schema& schema) {
    std::string_view fields = Cut(line, ": ");
    while (!fields.empty()) schema.fields.push_back(ReadField(Cut(fields, ", "), package));
    schema.fields.back().description = line;
  }

  SchemaField ReadField(std::string_view text, std::string_view package) {
    SchemaField field;
    field.name = Cut(text, " ");
    if (field.name.ends_with('!')) {
      field.required = true;
      field.name.remove_suffix(1);
    }
    std::string_view type = Cut(text, " @");
    field.patch_strategy = Cut(text, ":");
    field.merge_key = text;
    if (type.starts_with("[]")) field.shape = SchemaField::Shape::kList;
    if (type.starts_with("{}")) field.shape = SchemaField::Shape::kMap;
    if (field.shape != SchemaField::Shape::kOne) type.remove_prefix(2);
    const auto plain = PlainType(type);
    field.type = plain.value_or(SchemaField::Type::kSchema);
    if (!plain) field.schema = &Resolve(type, package);
    return field;
  }

  const Schema& Resolve(std::string_view type, std::string_view package) {
    if (type.find('.') != std::string_view::npos) package = packages_[Cut(type, ".")];
    const Schema* schema = Find(std::string(package) + "." + std::string(type));
    CHECK(schema != nullptr);
    return *schema;
  }

  void AddKindFields(Schema& schema) {
    SchemaField field;
    field.name = "apiVersion";
    field.description = "API group and version of the object.";
    schema.fields.push_back(field);
    field.name = "kind";
    field.description = "Kind of the object.";
    schema.fields.push_back(field);
    field.name = "metadata";
    field.description = "Standard metadata: name, labels, annotations and server-managed fields.";
    field.type = SchemaField::Type::kSchema;
    field.schema = &Resolve("meta.ObjectMeta", "");
    schema.fields.push_back(field);
  }

  std::deque<Schema> schemas_;
  std::unordered_map<std::string, Schema*> by_name_;
  std::map<std::string_view, std::string_view> packages_;
};

const Reader& Tables() {
  static const Reader reader;
  return reader;
}

}  // namespace

const SchemaField* Schema::Find(std::string_view field) const {
  const auto found = std::ranges::lower_bound(fields, field, {}, &SchemaField::name);
  return found != fields.end() && found->name == field ? &*found : nullptr;
}

const std::deque<Schema>& Schemas() { return Tables().schemas(); }

const Schema* SchemaOf(std::string_view api_version, std::string_view kind) {
  std::string_view version = api_version;
  std::string_view group = Cut(version, "/");
  if (version.empty()) {
    version = group;
    group = "core";
  }
  group = group.substr(0, group.find('.'));  // "storage" of "storage.k8s.io"
  std::string name = "io.k8s.api.";
  for (const std::string_view part :
       {group, std::string_view("."), version, std::string_view("."), kind}) {
    name += part;
  }
  return Tables().Find(name);
}

namespace {

// UnknownFieldFinder collects the paths of fields that the schema lacks.
class UnknownFieldFinder {
 public:
  explicit UnknownFieldFinder(std::vector<std::string>& unknown) : unknown_(unknown) {}

  void VisitObject(const Schema& schema, const Json& value) {
    if (!value.is_object()) return;
    for (const auto& [key, child] : value.get_object()) {
      const size_t length = path_.size();
      if (length != 0) path_ += '.';
      path_ += std::string_view(key);
      if (const SchemaField* field = schema.Find(key)) {
        VisitField(*field, child);
      } else if (unknown_.size() < kMaxReportedErrors) {
        unknown_.push_back(fmt::format("unknown field \"{}\"", Limited(path_)));
      }
      path_.resize(length);
    }
  }

 private:
  void VisitField(const SchemaField& field, const Json& value) {
    if (field.type != SchemaField::Type::kSchema) return;
    switch (field.shape) {
      case SchemaField::Shape::kOne:
        VisitObject(*field.schema, value);
        return;
      case SchemaField::Shape::kList:
        VisitList(*field.schema, value);
        return;
      case SchemaField::Shape::kMap:
        VisitMap(*field.schema, value);
    }
  }

  void VisitList(const Schema& schema, const Json& value) {
    if (!value.is_array()) return;
    size_t index = 0;
    for (const Json& item : value.get_array()) {
      const size_t length = path_.size();
      path_ += '[' + std::to_string(index++) + ']';
      VisitObject(schema, item);
      path_.resize(length);
    }
  }

  void VisitMap(const Schema& schema, const Json& value) {
    if (!value.is_object()) return;
    for (const auto& [key, item] : value.get_object()) {
      const size_t length = path_.size();
      path_ += '.';
      path_ += std::string_view(key);
      VisitObject(schema, item);
      path_.resize(length);
    }
  }

  std::vector<std::string>& unknown_;
  std::string path_;  // Of the current value.
};

}  // namespace

std::vector<std::string> UnknownFields(const Kind& kind, const Json& object) {
  std::vector<std::string> unknown;
  const Schema* schema = SchemaOf(kind.api_version(), kind.kind);
  if (schema != nullptr) UnknownFieldFinder(unknown).VisitObject(*schema, object);
  return unknown;
}

}  // namespace berth::api::scheme
