#include "cel/value.h"

#include <fmt/format.h>

#include <string>

#include "api/quantity.h"
#include "base/semantic_version.h"
#include "cel/containers.h"
#include "cel/numbers.h"

namespace berth::cel {

Value Value::Bool(bool value) {
  Value result(Kind::kBool, 0, false);
  result.bool_ = value;
  return result;
}

Value Value::Int(int64_t value) {
  Value result(Kind::kInt, 0, false);
  result.int_ = value;
  return result;
}

Value Value::Uint(uint64_t value) {
  Value result(Kind::kUint, 0, false);
  result.uint_ = value;
  return result;
}

Value Value::Double(double value) {
  Value result(Kind::kDouble, 0, false);
  result.double_ = value;
  return result;
}

Value Value::String(std::string_view text) {
  Value result(Kind::kString, static_cast<uint32_t>(text.size()), false);
  result.text_ = text.data();
  return result;
}

Value Value::Bytes(std::string_view bytes) {
  Value result = String(bytes);
  result.kind_ = Kind::kBytes;
  return result;
}

Value Value::Error(std::string_view message) {
  Value result = String(message);
  result.kind_ = Kind::kError;
  return result;
}

Value Value::Duration(int64_t nanos) {
  Value result(Kind::kDuration, 0, false);
  result.int_ = nanos;
  return result;
}

Value Value::Of(const Timestamp* timestamp) {
  Value result(Kind::kTimestamp, 0, false);
  result.timestamp_ = timestamp;
  return result;
}

Value Value::Of(const Type* type) {
  Value result(Kind::kType, 0, false);
  result.type_ = type;
  return result;
}

Value Value::Of(const SemanticVersion* semver) {
  Value result(Kind::kSemver, 0, false);
  result.semver_ = semver;
  return result;
}

Value Value::Of(const Url* url) {
  Value result(Kind::kUrl, 0, false);
  result.url_ = url;
  return result;
}

Value Value::Of(const NamedFormat* format) {
  Value result(Kind::kNamedFormat, 0, false);
  result.format_ = format;
  return result;
}

Value Value::Of(const HiddenData* data) {
  Value result(Kind::kHidden, 0, false);
  result.hidden_ = data;
  return result;
}

Value Value::Of(const api::Quantity* quantity, bool is_sum) {
  Value result(Kind::kQuantity, 0, is_sum);
  result.quantity_ = quantity;
  return result;
}

Value Value::Ip(const IpAddress* address) {
  Value result(Kind::kIp, 0, false);
  result.address_ = address;
  return result;
}

Value Value::Cidr(const IpAddress* network) {
  Value result(Kind::kCidr, 0, false);
  result.address_ = network;
  return result;
}

Value Value::List(const ListData* list, uint32_t size, bool is_concatenation) {
  Value result(Kind::kList, size, is_concatenation);
  result.list_ = list;
  return result;
}

Value Value::Map(const MapData* map, uint32_t size) {
  Value result(Kind::kMap, size, false);
  result.map_ = map;
  return result;
}

Value Value::Optional(const Value* value) {
  Value result(Kind::kOptional, 0, false);
  result.optional_ = value;
  return result;
}

std::span<const Value> Value::items() const { return {size_ == 0 ? nullptr : list_->items, size_}; }

const Type& Value::type() const {
  switch (kind_) {
    case Kind::kNull:
      return kNullType;
    case Kind::kBool:
      return kBoolType;
    case Kind::kInt:
      return kIntType;
    case Kind::kUint:
      return kUintType;
    case Kind::kDouble:
      return kDoubleType;
    case Kind::kString:
      return kStringType;
    case Kind::kBytes:
      return kBytesType;
    case Kind::kDuration:
      return kDurationType;
    case Kind::kTimestamp:
      return kTimestampType;
    case Kind::kType:
      return kTypeType;
    case Kind::kList:
      return kListValueType;
    case Kind::kMap:
      return kMapValueType;
    case Kind::kOptional:
      return kOptionalValueType;
    case Kind::kQuantity:
      return kQuantityType;
    case Kind::kSemver:
      return kSemverType;
    case Kind::kUrl:
      return kUrlType;
    case Kind::kIp:
      return kIpType;
    case Kind::kCidr:
      return kCidrType;
    case Kind::kNamedFormat:
      return kNamedFormatType;
    case Kind::kHidden:
      return kDynType;
    case Kind::kError:
      break;
  }
  return kErrorType;
}

bool Value::is_zero() const {
  // Go's zero time, of the year 1.
  constexpr int64_t kZeroTime = -62'135'596'800;
  switch (kind_) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !bool_;
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration:
      return int_ == 0;
    case Kind::kDouble:
      return double_ == 0;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      return size_ == 0;
    case Kind::kTimestamp:
      return timestamp_->seconds == kZeroTime && timestamp_->nanos == 0;
    default:
      return false;
  }
}

std::string DescribeValue(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.boolean() ? "true" : "false";
    case Kind::kInt:
      return std::to_string(value.integer());
    case Kind::kUint:
      return std::to_string(value.unsigned_integer());
    case Kind::kDouble:
      return FormatDouble(value.floating());
    case Kind::kString:
    case Kind::kBytes:
      return std::string(value.text());
    case Kind::kQuantity:
      return value.quantity().ToString();
    case Kind::kSemver:
      return value.semver().ToString();
    case Kind::kType:
      return std::string(value.type_value().name);
    case Kind::kError:
      return std::string(value.message());
    default:
      return std::string(value.type().name);
  }
}

size_t CodePointSize(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto continues = [&](size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const uint8_t first = byte(0);
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return 1;
  if (first < 0xE0) return 2;
  const uint8_t second = byte(1);
  if (!continues(2)) return 1;
  if (first < 0xF0) {
    // Overlong forms and surrogates are no code points.
    return (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ? 1 : 3;
  }
  if (!continues(3)) return 1;
  return (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F) ? 1 : 4;
}

size_t CountCodePoints(std::string_view text) {
  size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(static_cast<uint8_t>(text[0]) < 0x80 ? 1 : CodePointSize(text));
    ++count;
  }
  return count;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = CodePointSize(text);
    if (size == 1 && static_cast<uint8_t>(text[0]) >= 0x80) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace berth::cel
