#include "apiserver/crd/coercion.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/scheme/schema.h"
#include "apiserver/crd/schema.h"

namespace berth::apiserver::crd {
namespace {

bool IsUnwantedNull(const api::Json& value, const Schema* schema) {
  return value.is_null() && schema != nullptr && !schema->nullable;
}

class Defaulter {
 public:
  bool Apply(const Schema& schema, api::Json& value) {
    if (!schema.has_defaults) return true;
    if (api::JsonObject* object = value.if_object()) return Apply(schema, *object);
    api::JsonArray* array = value.if_array();
    if (array == nullptr || schema.items == nullptr) return true;
    for (api::Json& item : *array) {
      if (IsUnwantedNull(item, schema.items.get()) && !Set(*schema.items, 0, item)) return false;
      if (!Apply(*schema.items, item)) return false;
    }
    return true;
  }

  bool Apply(const Schema& schema, api::JsonObject& object) {
    for (const uint32_t index : schema.defaulted) {
      const auto& [name, property] = schema.properties[index];
      api::Json* member = object.if_contains(name);
      if (member != nullptr && !IsUnwantedNull(*member, &property)) continue;
      if (member == nullptr) member = &object[name];
      if (!Set(property, name.size(), *member)) return false;
    }
    for (auto& member : object) {
      api::Json& value = member.value();
      if (const Schema* property = schema.FindProperty(member.key())) {
        if (!Apply(*property, value)) return false;
      } else if (const Schema* other = schema.additional_schema.get()) {
        if (IsUnwantedNull(value, other) && !Set(*other, 0, value)) return false;
        if (!Apply(*other, value)) return false;
      }
    }
    return true;
  }

 private:
  bool Set(const Schema& schema, size_t name_bytes, api::Json& value) {
    if (schema.default_value == nullptr) return true;
    added_ += name_bytes + schema.default_bytes;
    if (added_ > kMaxDefaultedBytes) return false;
    value = *schema.default_value;
    return true;
  }

  size_t added_ = 0;
};

const api::scheme::Schema* ObjectMeta() {
  static const api::scheme::Schema* schema = [] {
    const auto& all = api::scheme::Schemas();
    const auto found =
        std::ranges::find(all, std::string_view("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
                          &api::scheme::Schema::name);
    return found == all.end() ? nullptr : &*found;
  }();
  return schema;
}

// A step of a path, for unknown fields.
struct Step {
  const Step* parent = nullptr;
  std::string_view name;  // Or the index.
  size_t index = 0;

  void AppendTo(std::string& out) const {
    if (parent != nullptr) parent->AppendTo(out);
    if (name.data() == nullptr) {
      out += fmt::format("[{}]", index);
      return;
    }
    if (!out.empty()) out += '.';
    out += name;
  }
};

// Pruner finds the members that a schema lacks; what is below them is not visited.
class Pruner {
 public:
  // Records their paths in `paths` unless it is null; removes them if `remove`.
  Pruner(std::vector<std::string>* paths, bool remove) : paths_(paths), remove_(remove) {}

  // Visits a resource, which has metadata.
  void VisitResource(api::JsonObject& object, const Schema& schema) {
    if (schema.preserve_unknown_fields) {
      VisitKnownMembers(object, schema, true, nullptr);
    } else {
      VisitObject(object, &schema, true, nullptr);
    }
  }

  // `schema` is null where nothing is specified, so that every member of an object is unknown.
  void Visit(api::Json& value, const Schema* schema, bool resource, const Step* path) {
    if (schema != nullptr && schema->preserve_unknown_fields) {
      return VisitKnown(value, *schema, resource, path);
    }
    if (api::JsonObject* object = value.if_object()) {
      VisitObject(*object, schema, resource, path);
    } else if (api::JsonArray* array = value.if_array()) {
      const Schema* items = schema != nullptr ? schema->items.get() : nullptr;
      for (size_t i = 0; i < array->size(); ++i) {
        const Step at{.parent = path, .name = {}, .index = i};
        Visit((*array)[i], items, items != nullptr && items->embedded_resource, &at);
      }
    }
  }

 private:
  void VisitObject(api::JsonObject& object, const Schema* schema, bool resource, const Step* path) {
    bool unknown = false;
    for (auto& member : object) {
      const std::string_view name = member.key();
      const Step at{.parent = path, .name = name};
      if (resource && IsMetaField(name)) {
        if (name == "metadata") VisitMetadata(member.value(), &at);
      } else if (IsKnown(schema, name)) {
        VisitMember(member.value(), schema->SchemaOfMember(name), &at);
      } else {
        unknown = true;
        Record(at);
      }
    }
    if (!unknown || !remove_) return;
    api::EraseMembersIf(object, [&](const auto& member) {
      return !(resource && IsMetaField(member.key())) && !IsKnown(schema, member.key());
    });
  }

  static bool IsKnown(const Schema* schema, std::string_view name) {
    return schema != nullptr && (schema->additional != Schema::Additional::kAbsent ||
                                 schema->FindProperty(name) != nullptr);
  }

  void VisitMember(api::Json& value, const Schema* schema, const Step* path) {
    Visit(value, schema, schema != nullptr && schema->embedded_resource, path);
  }

  // Visits only what is specified: unknown fields here are preserved.
  void VisitKnown(api::Json& value, const Schema& schema, bool resource, const Step* path) {
    if (api::JsonObject* object = value.if_object()) {
      VisitKnownMembers(*object, schema, resource, path);
    } else if (api::JsonArray* array = value.if_array(); array != nullptr && schema.items) {
      for (size_t i = 0; i < array->size(); ++i) {
        const Step at{.parent = path, .name = {}, .index = i};
        VisitKnown((*array)[i], *schema.items, schema.items->embedded_resource, &at);
      }
    }
  }

  void VisitKnownMembers(api::JsonObject& object, const Schema& schema, bool resource,
                         const Step* path) {
    for (auto& member : object) {
      const std::string_view name = member.key();
      const Step at{.parent = path, .name = name};
      if (resource && IsMetaField(name)) {
        if (name == "metadata") VisitMetadata(member.value(), &at);
      } else if (IsKnown(&schema, name)) {
        VisitMember(member.value(), schema.SchemaOfMember(name), &at);
      }
    }
  }

  void VisitMetadata(api::Json& value, const Step* path) {
    api::JsonObject* metadata = value.if_object();
    if (metadata == nullptr || ObjectMeta() == nullptr) return;
    const auto unknown = [](const auto& member) {
      return ObjectMeta()->Find(member.key()) == nullptr;
    };
    for (const auto& member : *metadata) {
      if (unknown(member)) Record({.parent = path, .name = member.key()});
    }
    if (remove_) api::EraseMembersIf(*metadata, unknown);
  }

  void Record(const Step& step) {
    if (paths_ == nullptr || paths_->size() >= api::kMaxReportedErrors) return;
    std::string path;
    step.AppendTo(path);
    paths_->push_back(api::Limited(path));
  }

  std::vector<std::string>* paths_;
  bool remove_;
};

}  // namespace

bool ApplyDefaults(const Schema& schema, api::JsonObject& object) {
  return !schema.has_defaults || Defaulter().Apply(schema, object);
}

void Prune(const Schema& schema, api::JsonObject& object) {
  Pruner(nullptr, true).VisitResource(object, schema);
}

void PruneValue(const Schema& schema, api::Json& value) {
  Pruner(nullptr, true).Visit(value, &schema, schema.embedded_resource, nullptr);
}

std::vector<std::string> UnknownFields(const Schema& schema, const api::JsonObject& object) {
  std::vector<std::string> paths;
  // A visitor that removes nothing only reads.
  auto& members = const_cast<api::JsonObject&>(object);
  Pruner(&paths, false).VisitResource(members, schema);
  std::ranges::sort(paths);
  return paths;
}

void DropUnwantedNulls(const Schema& schema, api::JsonObject& object) {
  const auto unwanted = [&](const auto& member) {
    const Schema* part = schema.SchemaOfMember(member.key());
    return IsUnwantedNull(member.value(), part) && part->default_value == nullptr;
  };
  api::EraseMembersIf(object, unwanted);
  const auto visit = [](auto& self, api::Json& value, const Schema* part) -> void {
    if (part == nullptr) return;
    if (api::JsonObject* inner = value.if_object()) {
      DropUnwantedNulls(*part, *inner);
    } else if (api::JsonArray* array = value.if_array()) {
      for (api::Json& item : *array) self(self, item, part->items.get());
    }
  };
  for (auto& member : object) visit(visit, member.value(), schema.SchemaOfMember(member.key()));
}

}  // namespace berth::apiserver::crd
