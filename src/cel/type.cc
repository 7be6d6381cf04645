#include "cel/type.h"

#include <algorithm>
#include <limits>

namespace berth::cel {
namespace {

constexpr std::string_view kOptionalName = "optional_type";

constexpr Type Simple(TypeKind kind, std::string_view name) {
  Type type;
  type.kind = kind;
  type.name = name;
  return type;
}

template <typename Name>
std::string Format(const Type& type, const Name& name_of) {
  std::string text(name_of(type));
  if (type.parameter_count == 0) return text;
  text += '(';
  for (size_t i = 0; i < type.parameter_count; ++i) {
    if (i > 0) text += ", ";
    text += Format(*type.parameter[i], name_of);
  }
  return text + ')';
}

}  // namespace

constexpr Type kErrorType = Simple(TypeKind::kError, "!error!");
constexpr Type kDynType = Simple(TypeKind::kDyn, "dyn");
constexpr Type kAnyType = Simple(TypeKind::kAny, "google.protobuf.Any");
constexpr Type kNullType = Simple(TypeKind::kNull, "null_type");
constexpr Type kBoolType = Simple(TypeKind::kBool, "bool");
constexpr Type kIntType = Simple(TypeKind::kInt, "int");
constexpr Type kUintType = Simple(TypeKind::kUint, "uint");
constexpr Type kDoubleType = Simple(TypeKind::kDouble, "double");
constexpr Type kStringType = Simple(TypeKind::kString, "string");
constexpr Type kBytesType = Simple(TypeKind::kBytes, "bytes");
constexpr Type kDurationType = Simple(TypeKind::kDuration, "google.protobuf.Duration");
constexpr Type kTimestampType = Simple(TypeKind::kTimestamp, "google.protobuf.Timestamp");
constexpr Type kTypeType = Simple(TypeKind::kType, "type");
constexpr Type kQuantityType = Simple(TypeKind::kObject, "kubernetes.Quantity");
constexpr Type kSemverType = Simple(TypeKind::kObject, "kubernetes.Semver");
constexpr Type kUrlType = Simple(TypeKind::kObject, "kubernetes.URL");
constexpr Type kNamedFormatType = Simple(TypeKind::kObject, "kubernetes.NamedFormat");
constexpr Type kIpType = Simple(TypeKind::kOpaque, "net.IP");
constexpr Type kCidrType = Simple(TypeKind::kOpaque, "net.CIDR");
constexpr Type kListValueType = Simple(TypeKind::kList, "list");
constexpr Type kMapValueType = Simple(TypeKind::kMap, "map");
constexpr Type kOptionalValueType = Simple(TypeKind::kOpaque, kOptionalName);

std::string FormatType(const Type& type) {
  return Format(type, [](const Type& part) -> std::string_view {
    switch (part.kind) {
      case TypeKind::kAny:
        return "any";
      case TypeKind::kNull:
        return "null";
      case TypeKind::kDuration:
        return "duration";
      case TypeKind::kTimestamp:
        return "timestamp";
      default:
        return part.name;
    }
  });
}

std::string TypeToString(const Type& type) {
  return Format(type, [](const Type& part) {
    if (part.kind != TypeKind::kParameter) return std::string(part.name);
    return '<' + std::string(part.name) + '>';
  });
}

const Type* TypePool::List(const Type* element) {
  Type type = kListValueType;
  type.parameter = {element};
  type.parameter_count = 1;
  return Intern(type);
}

const Type* TypePool::Map(const Type* key, const Type* value) {
  Type type = kMapValueType;
  type.parameter = {key, value};
  type.parameter_count = 2;
  return Intern(type);
}

const Type* TypePool::Optional(const Type* value) {
  Type type = kOptionalValueType;
  type.parameter = {value};
  type.parameter_count = 1;
  return Intern(type);
}

const Type* TypePool::TypeOf(const Type* of) {
  Type type = kTypeType;
  type.parameter = {of};
  type.parameter_count = 1;
  return Intern(type);
}

const Type* TypePool::Object(std::string_view name) {
  return Intern(Simple(TypeKind::kObject, name));
}

const Type* TypePool::Parameter(uint32_t id, std::string_view name) {
  Type type = Simple(TypeKind::kParameter, name);
  type.has_type_parameters = true;
  type.id = id;
  return Intern(type);
}

const Type* TypePool::Intern(const Type& type) {
  const Key key{type.kind, type.name, type.parameter[0], type.parameter[1], type.id};
  if (const Type* known = Find(key)) return known;
  Type& added = types_.emplace_back(type);
  uint64_t nodes = 1;
  for (const Type* parameter : type.parameters()) {
    added.has_type_parameters |= parameter->has_type_parameters;
    nodes += parameter->nodes;
  }
  added.nodes =
      static_cast<uint32_t>(std::min<uint64_t>(nodes, std::numeric_limits<uint32_t>::max()));
  index_.emplace(key, &added);
  return &added;
}

const Type* TypePool::Find(const Key& key) const {
  if (parent_ != nullptr) {
    if (const Type* known = parent_->Find(key)) return known;
  }
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : found->second;
}

}  // namespace berth::cel
