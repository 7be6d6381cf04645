#include "api/scheme/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/scheme/schema_tables.h"
#include "api/scheme/scheme.h"
#include "base/check.h"
#include "base/suggestion.h"
#include "base/text.h"

namespace berth::api::scheme {
namespace {

// Removes and returns the text before `separator`, or all of it if there is none.
std::string_view Cut(std::string_view& text, std::string_view separator) {
  const size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + separator.size());
  return head;
}

// Returns "core.v1" for "io.k8s.api.core.v1".
std::string_view GroupVersion(std::string_view package) {
  return package.substr(package.rfind('.', package.rfind('.') - 1) + 1);
}

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::optional<SchemaField::Type> PlainType(std::string_view word) {
  using Type = SchemaField::Type;
  static const std::unordered_map<std::string_view, Type> kTypes = {
      {"string", Type::kString},
      {"int", Type::kInt},
      {"long", Type::kLong},
      {"double", Type::kDouble},
      {"bool", Type::kBool},
      {"bytes", Type::kBytes},
      {"time", Type::kTime},
      {"microTime", Type::kMicroTime},
      {"quantity", Type::kQuantity},
      {"intOrString", Type::kIntOrString},
      {"strings", Type::kStrings},
      {"object", Type::kObject},
      {"any", Type::kAny}};
  const auto found = kTypes.find(word);
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

bool IsNumberOrBool(SchemaField::Type type) {
  using Type = SchemaField::Type;
  return type == Type::kInt || type == Type::kLong || type == Type::kDouble || type == Type::kBool;
}

SchemaField::Alternative AlternativeOf(std::string_view word) {
  using Alternative = SchemaField::Alternative;
  if (word == "bool") return Alternative::kBool;
  if (word == "list") return Alternative::kList;
  return word == "strings" ? Alternative::kStrings : Alternative::kNone;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Reader parses the tables twice: first the names of types, then their fields, which refer to types
// of any table. The tables are part of the program, so an error in them fails a CHECK.
class Reader {
 public:
  Reader() {
    for (const bool fields : {false, true}) {
      for (const std::string_view table :
           {MetaSchemas(), PodSchemas(), VolumeSchemas(), CoreSchemas(), WorkloadSchemas(),
            StorageSchemas(), NetworkingSchemas(), AccessSchemas(), ExtensionSchemas(),
            OtherSchemas()}) {
        ReadTable(table, fields);
      }
    }
    for (Schema& schema : schemas_) {
      for (const Schema::Embedded& embedded : schema.embedded) {
        AddEmbedded(*embedded.schema, schema.fields);
      }
    }
    for (Schema& schema : schemas_) std::ranges::sort(schema.fields, {}, &SchemaField::name);
  }

  const std::deque<Schema>& schemas() const { return schemas_; }
  // Finds "core.v1.Pod".
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
        const std::string_view version = GroupVersion(package);
        versions_[version.substr(0, version.find('.'))] = version;
        continue;
      }
      const std::string_view name = Cut(line, ": ");
      schema = &Named(package, name);
      schema->description = line;
      if (fields && word == "kind") AddKindFields(*schema);
    }
  }

  Schema& Named(std::string_view package, std::string_view name) {
    Schema*& schema = by_name_[Joined({GroupVersion(package), ".", name})];
    if (schema == nullptr) {
      schema = &schemas_.emplace_back();
      schema->name = Joined({package, ".", name});
    }
    return *schema;
  }

  void ReadFields(std::string_view line, std::string_view package, Schema& schema) {
    std::string_view fields = Cut(line, ": ");
    while (!fields.empty()) {
      std::string_view text = Cut(fields, ", ");
      const uint32_t number = TakeNumber(text);
      if (TakePrefix(text, "= ")) {
        schema.embedded.push_back({number, &Resolve(text, package)});
      } else {
        schema.fields.push_back(ReadField(text, package));
        schema.fields.back().number = number;
      }
    }
    if (!line.empty()) schema.fields.back().description = line;
  }

  static uint32_t TakeNumber(std::string_view& text) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc()) text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
    return number;
  }

  // In protobuf the fields belong to the embedded message.
  static void AddEmbedded(const Schema& schema, std::vector<SchemaField>& out) {
    // One that embeds another may have its fields already.
    for (const SchemaField& field : schema.fields) {
      if (field.number != 0) out.emplace_back(field).number = 0;
    }
    for (const Schema::Embedded& embedded : schema.embedded) AddEmbedded(*embedded.schema, out);
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
    field.keep_zero = TakePrefix(type, "*");
    if (TakePrefix(type, "[]")) field.shape = SchemaField::Shape::kList;
    if (TakePrefix(type, "{}")) field.shape = SchemaField::Shape::kMap;
    if (const size_t values = type.find('('); values != std::string_view::npos) {
      field.values = type.substr(values + 1, type.size() - values - 2);
      type = type.substr(0, values);
    }
    std::string_view alternative = type;
    type = Cut(alternative, "|");
    field.alternative = AlternativeOf(alternative);
    const auto plain = PlainType(type);
    field.type = plain.value_or(SchemaField::Type::kSchema);
    if (field.required && IsNumberOrBool(field.type)) field.keep_zero = true;
    if (!plain) field.schema = &Resolve(type, package);
    return field;
  }

  const Schema& Resolve(std::string_view type, std::string_view package) {
    const bool qualified = type.find('.') != std::string_view::npos;
    const std::string_view version = qualified ? versions_[Cut(type, ".")] : GroupVersion(package);
    const Schema* schema = Find(Joined({version, ".", type}));
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
    field.number = 1;
    field.type = SchemaField::Type::kSchema;
    field.schema = &Resolve("meta.ObjectMeta", "");
    schema.fields.push_back(field);
  }

  std::deque<Schema> schemas_;
  std::unordered_map<std::string, Schema*> by_name_;       // By "core.v1.Pod".
  std::map<std::string_view, std::string_view> versions_;  // "core.v1" by "core".
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
  return Tables().Find(Joined({group, ".", version, ".", kind}));
}

namespace {

std::string NearestField(const Schema& schema, std::string_view name) {
  Suggestion suggestion(name);
  for (const SchemaField& field : schema.fields) suggestion.Consider(field.name);
  return suggestion.best();
}

// UnknownFieldFinder collects the fields that the schema lacks.
class UnknownFieldFinder {
 public:
  explicit UnknownFieldFinder(std::vector<UnknownField>& unknown) : unknown_(unknown) {}

  void VisitObject(const Schema& schema, const Json& value) {
    if (!value.is_object()) return;
    for (const auto& [key, child] : value.get_object()) {
      const size_t length = path_.size();
      if (length != 0) path_ += '.';
      path_ += std::string_view(key);
      if (const SchemaField* field = schema.Find(key)) {
        VisitField(*field, child);
      } else if (unknown_.size() < kMaxReportedErrors) {
        unknown_.push_back({Limited(path_), Shorten(ToJsonText(child)), NearestField(schema, key)});
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

  std::vector<UnknownField>& unknown_;
  std::string path_;  // Of the current value.
};

}  // namespace

std::vector<UnknownField> FindUnknownFields(const Kind& kind, const Json& object) {
  std::vector<UnknownField> unknown;
  const Schema* schema = SchemaOf(kind.api_version(), kind.kind);
  if (schema != nullptr) UnknownFieldFinder(unknown).VisitObject(*schema, object);
  return unknown;
}

std::vector<std::string> UnknownFields(const Kind& kind, const Json& object) {
  std::vector<std::string> errors;
  for (const UnknownField& field : FindUnknownFields(kind, object)) {
    errors.push_back(fmt::format("unknown field \"{}\"", field.path));
  }
  return errors;
}

}  // namespace berth::api::scheme
