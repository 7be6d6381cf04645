#include "api/protobuf/descriptors.h"

#include <algorithm>

#include "api/scheme/schema.h"
#include "base/check.h"

namespace berth::api::protobuf {
namespace {

FieldType FieldTypeOf(const scheme::SchemaField& field) {
  using Type = scheme::SchemaField::Type;
  switch (field.type) {
    case Type::kString:
      return FieldType::kString;
    case Type::kInt:
    case Type::kLong:
      return FieldType::kInt;
    case Type::kDouble:
      return FieldType::kDouble;
    case Type::kBool:
      return FieldType::kBool;
    case Type::kBytes:
      return FieldType::kBytes;
    case Type::kTime:
      return FieldType::kTime;
    case Type::kMicroTime:
      return FieldType::kMicroTime;
    case Type::kQuantity:
      return FieldType::kQuantity;
    case Type::kIntOrString:
      return FieldType::kIntOrString;
    case Type::kStrings:
      return FieldType::kStrings;
    case Type::kObject:
    case Type::kAny:
      return FieldType::kRawExtension;
    case Type::kSchema:
      break;
  }
  switch (field.alternative) {
    case scheme::SchemaField::Alternative::kBool:
      return FieldType::kMessageOrBool;
    case scheme::SchemaField::Alternative::kList:
      return FieldType::kMessageOrList;
    case scheme::SchemaField::Alternative::kStrings:
      return FieldType::kMessageOrStrings;
    default:
      return FieldType::kMessage;
  }
}

FieldDescriptor::Shape ShapeOf(scheme::SchemaField::Shape shape) {
  switch (shape) {
    case scheme::SchemaField::Shape::kList:
      return FieldDescriptor::Shape::kList;
    case scheme::SchemaField::Shape::kMap:
      return FieldDescriptor::Shape::kMap;
    default:
      return FieldDescriptor::Shape::kSingle;
  }
}

// Returns "core.Pod" for "io.k8s.api.core.v1.Pod".
std::string ShortName(const std::string& name) {
  const size_t type = name.rfind('.');
  const size_t version = name.rfind('.', type - 1);
  const size_t group = name.rfind('.', version - 1) + 1;
  return name.substr(group, version - group) + name.substr(type);
}

}  // namespace

const FieldDescriptor* MessageDescriptor::Find(uint32_t number) const {
  const auto field = std::ranges::lower_bound(fields, number, {}, &FieldDescriptor::number);
  return field != fields.end() && field->number == number ? &*field : nullptr;
}

const Descriptors& Descriptors::Get() {
  static const Descriptors descriptors;
  return descriptors;
}

Descriptors::Descriptors() {
  // Messages first, so that fields can refer to any of them.
  for (const scheme::Schema& schema : scheme::Schemas()) {
    by_schema_[&schema] = &messages_.emplace_back(MessageDescriptor{ShortName(schema.name), {}});
  }
  for (const auto& [schema, message] : by_schema_) {
    for (const scheme::SchemaField& field : schema->fields) {
      if (field.number == 0) continue;
      message->fields.push_back(
          {.number = field.number,
           .name = field.name,
           .shape = ShapeOf(field.shape),
           .keep_zero = field.keep_zero,
           .type = FieldTypeOf(field),
           .message = field.schema == nullptr ? nullptr : by_schema_.at(field.schema)});
    }
    for (const scheme::Schema::Embedded& embedded : schema->embedded) {
      message->fields.push_back({.number = embedded.number,
                                 .name = {},
                                 .type = FieldType::kMessage,
                                 .message = by_schema_.at(embedded.schema)});
    }
    std::ranges::sort(message->fields, {}, &FieldDescriptor::number);
    CHECK(std::ranges::adjacent_find(message->fields, {}, &FieldDescriptor::number) ==
          message->fields.end());
  }
}

const MessageDescriptor* Descriptors::Find(std::string_view api_version,
                                           std::string_view kind) const {
  if (kind == "DeleteOptions" || kind == "Status") api_version = "meta/v1";
  // Evictions of old clients.
  if (api_version == "policy/v1beta1") api_version = "policy/v1";
  const scheme::Schema* schema = scheme::SchemaOf(api_version, kind);
  return schema == nullptr ? nullptr : by_schema_.at(schema);
}

}  // namespace berth::api::protobuf
