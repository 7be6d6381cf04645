// Type is the type of an expression as the checker knows it, and of a value at run time.
//
// Types are interned: equal types of one pool are one object, compared by address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace berth::cel {

enum class TypeKind : uint8_t {
  kError,  // Of an expression that does not check; agrees with everything.
  kDyn,
  kAny,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kType,
  kList,
  kMap,
  kObject,  // Named, with fields.
  kOpaque,  // Named, perhaps with a parameter: optional_type(int).
  kParameter,
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  std::string_view name;  // At run time: list, google.protobuf.Duration.
  std::array<const Type*, 2> parameter{};
  uint8_t parameter_count = 0;
  bool has_type_parameters = false;  // Somewhere inside.
  uint32_t id = 0;                   // Of a type parameter.
  uint32_t nodes = 1;                // Of the type written as a tree; saturates.

  std::span<const Type* const> parameters() const { return {parameter.data(), parameter_count}; }
  bool is_dynamic() const { return kind == TypeKind::kDyn || kind == TypeKind::kAny; }
  bool is_optional() const { return kind == TypeKind::kOpaque && parameter_count == 1; }
};

// The types without parameters.
extern const Type kErrorType;
extern const Type kDynType;
extern const Type kAnyType;
extern const Type kNullType;
extern const Type kBoolType;
extern const Type kIntType;
extern const Type kUintType;
extern const Type kDoubleType;
extern const Type kStringType;
extern const Type kBytesType;
extern const Type kDurationType;
extern const Type kTimestampType;
extern const Type kTypeType;
extern const Type kQuantityType;
extern const Type kSemverType;
extern const Type kUrlType;
extern const Type kNamedFormatType;
extern const Type kIpType;
extern const Type kCidrType;
// The types of values whose parameters are forgotten at run time.
extern const Type kListValueType;
extern const Type kMapValueType;
extern const Type kOptionalValueType;

// Formats as the messages of cel-go's checker do: map(string, any).
std::string FormatType(const Type& type);
// Formats as cel-go's Type.String does: map(string, google.protobuf.Any).
std::string TypeToString(const Type& type);

class TypePool {
 public:
  // `parent` holds types that this pool reuses; it must outlive the pool and no longer change.
  explicit TypePool(const TypePool* parent = nullptr) : parent_(parent) {}
  TypePool(const TypePool&) = delete;
  TypePool& operator=(const TypePool&) = delete;

  const Type* List(const Type* element);
  const Type* Map(const Type* key, const Type* value);
  const Type* Optional(const Type* value);
  // The type of the type `of`.
  const Type* TypeOf(const Type* of);
  // `name` must outlive the pool.
  const Type* Object(std::string_view name);
  // A type parameter; parameters with different ids are different.
  const Type* Parameter(uint32_t id, std::string_view name);

 private:
  using Key = std::tuple<TypeKind, std::string_view, const Type*, const Type*, uint32_t>;

  const Type* Intern(const Type& type);
  const Type* Find(const Key& key) const;

  const TypePool* parent_;
  std::deque<Type> types_;
  std::map<Key, const Type*> index_;
};

}  // namespace berth::cel
