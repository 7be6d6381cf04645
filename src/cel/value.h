// Value is a value of CEL at run time, or the error that stands in for one.
//
// 16 bytes, trivially copyable: what does not fit is in an arena, a constant table or the input,
// which must outlive the value. Lists and maps are immutable to their users, see containers.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cel/type.h"

namespace berth::api {
class Quantity;
}  // namespace berth::api

namespace berth {
struct SemanticVersion;
}

namespace berth::cel {

struct ListData;
struct MapData;
struct NamedFormat;
struct Url;
class Value;

// A point in time, with the offset from UTC that it was written in.
struct Timestamp {
  int64_t seconds = 0;  // Since the Unix epoch.
  int32_t nanos = 0;
  int32_t offset = 0;  // In seconds east of UTC.
};

// An IP address, or with `bits` a network.
struct IpAddress {
  std::array<uint8_t, 16> bytes{};  // IPv4 has the first four.
  bool is_v4 = false;
  uint8_t bits = 0;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

enum class Kind : uint8_t {
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
  kOptional,
  kQuantity,
  kSemver,
  kUrl,
  kIp,
  kCidr,
  kNamedFormat,
  kHidden,
  kError,
};

class Evaluation;

// Data in the input that expressions cannot read; it counts where what contains it is compared.
class HiddenData {
 public:
  // Counts the work as steps of `evaluation`. Both have been made by the same user of the library.
  virtual bool Equals(const HiddenData& other, Evaluation& evaluation) const = 0;

 protected:
  ~HiddenData() = default;
};

class Value {
 public:
  // Null.
  constexpr Value() : int_(0) {}

  static Value Bool(bool value);
  static Value Int(int64_t value);
  static Value Uint(uint64_t value);
  static Value Double(double value);
  static Value String(std::string_view text);
  static Value Bytes(std::string_view bytes);
  static Value Duration(int64_t nanos);
  static Value Of(const Timestamp* timestamp);
  static Value Of(const Type* type);
  static Value Of(const SemanticVersion* semver);
  static Value Of(const Url* url);
  static Value Of(const NamedFormat* format);
  static Value Of(const HiddenData* data);
  // `is_sum` marks the results of add and sub: on the right of == they are an error.
  static Value Of(const api::Quantity* quantity, bool is_sum = false);
  static Value Ip(const IpAddress* address);
  static Value Cidr(const IpAddress* network);
  // The first `size` items of `list`, entries of `map`.
  static Value List(const ListData* list, uint32_t size, bool is_concatenation = false);
  static Value Map(const MapData* map, uint32_t size);
  // optional.none() if `value` is nullptr.
  static Value Optional(const Value* value);
  static Value Error(std::string_view message);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::kError; }
  bool is_true() const { return kind_ == Kind::kBool && bool_; }
  bool is_false() const { return kind_ == Kind::kBool && !bool_; }
  bool is_number() const {
    return kind_ == Kind::kInt || kind_ == Kind::kUint || kind_ == Kind::kDouble;
  }

  // Each may be called only for a value of its kind.
  bool boolean() const { return bool_; }
  int64_t integer() const { return int_; }
  uint64_t unsigned_integer() const { return uint_; }
  double floating() const { return double_; }
  std::string_view text() const { return {text_, size_}; }     // String and bytes.
  std::string_view message() const { return {text_, size_}; }  // Error.
  int64_t nanos() const { return int_; }                       // Duration.
  const Timestamp& timestamp() const { return *timestamp_; }
  const Type& type_value() const { return *type_; }
  const SemanticVersion& semver() const { return *semver_; }
  const Url& url() const { return *url_; }
  const NamedFormat& named_format() const { return *format_; }
  const HiddenData& hidden() const { return *hidden_; }
  const api::Quantity& quantity() const { return *quantity_; }
  const IpAddress& address() const { return *address_; }  // IP and CIDR.
  std::span<const Value> items() const;                   // List.
  const ListData* list() const { return list_; }
  const MapData* map() const { return map_; }
  const Value* optional() const { return optional_; }
  // Of a list or map.
  uint32_t size() const { return size_; }
  bool is_sum() const { return flag_; }
  bool is_concatenation() const { return flag_; }

  // Returns the type without its parameters. There is none for an error.
  const Type& type() const;
  // Reports whether optional.ofNonZeroValue drops the value.
  bool is_zero() const;

 private:
  Value(Kind kind, uint32_t size, bool flag) : kind_(kind), flag_(flag), size_(size), int_(0) {}

  Kind kind_ = Kind::kNull;
  bool flag_ = false;
  uint32_t size_ = 0;
  union {
    bool bool_;
    int64_t int_;
    uint64_t uint_;
    double double_;
    const char* text_;
    const Timestamp* timestamp_;
    const Type* type_;
    const SemanticVersion* semver_;
    const Url* url_;
    const NamedFormat* format_;
    const HiddenData* hidden_;
    const api::Quantity* quantity_;
    const IpAddress* address_;
    const ListData* list_;
    const MapData* map_;
    const Value* optional_;
  };
};
static_assert(sizeof(Value) == 16);

// What cel-go answers where an operation does not know the types of its operands.
inline constexpr std::string_view kNoSuchOverload = "no such overload";

// Formats `value` for a message, as Go's %v does: a, 1, [1, 2].
std::string DescribeValue(const Value& value);

// Counts code points; a byte that is not UTF-8 counts as one.
size_t CountCodePoints(std::string_view text);
// Returns the size in bytes of the first code point of `text`, which is not empty.
size_t CodePointSize(std::string_view text);
bool IsValidUtf8(std::string_view text);

}  // namespace berth::cel
