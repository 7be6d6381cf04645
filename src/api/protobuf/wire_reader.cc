#include "api/protobuf/wire_reader.h"

namespace berth::api::protobuf {
namespace {

constexpr uint64_t kMaxFieldNumber = (1 << 29) - 1;

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return value;
}

}  // namespace

std::string_view NameOf(WireType type) {
  switch (type) {
    case WireType::kVarint:
      return "a varint";
    case WireType::kFixed64:
      return "a fixed 64-bit value";
    case WireType::kBytes:
      return "length-delimited";
    case WireType::kFixed32:
      return "a fixed 32-bit value";
  }
  return "unknown";
}

std::expected<uint64_t, std::string> WireReader::NextVarint() {
  uint64_t value = 0;
  for (size_t i = 0; i < rest_.size(); ++i) {
    const auto byte = static_cast<uint8_t>(rest_[i]);
    // Nine bytes hold 63 bits; the tenth may hold one more.
    if (i == 9 && byte > 1) return std::unexpected("a varint is too long");
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  return std::unexpected("a varint is cut off");
}

std::expected<std::string_view, std::string> WireReader::Take(uint64_t size,
                                                              std::string_view what) {
  if (size > rest_.size()) {
    return std::unexpected(std::string(what) + " of " + std::to_string(size) +
                           " bytes is cut off after " + std::to_string(rest_.size()));
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::expected<WireField, std::string> WireReader::Next() {
  const auto tag = NextVarint();
  if (!tag) return std::unexpected(tag.error());
  const uint64_t number = *tag >> 3;
  if (number == 0 || number > kMaxFieldNumber) {
    return std::unexpected("there is no field number " + std::to_string(number));
  }
  WireField field;
  field.number = static_cast<uint32_t>(number);
  const auto type = static_cast<uint8_t>(*tag & 7);
  field.type = static_cast<WireType>(type);
  if (type == 0) {
    const auto value = NextVarint();
    if (!value) return std::unexpected(value.error());
    field.value = *value;
    return field;
  }
  if (type == 1 || type == 5) {
    const auto bytes = Take(type == 1 ? 8 : 4, "a fixed value");
    if (!bytes) return std::unexpected(bytes.error());
    field.value = LittleEndian(*bytes);
    return field;
  }
  if (type == 2) {
    const auto size = NextVarint();
    if (!size) return std::unexpected(size.error());
    const auto bytes = Take(*size, "a value");
    if (!bytes) return std::unexpected(bytes.error());
    field.bytes = *bytes;
    return field;
  }
  return std::unexpected("wire type " + std::to_string(type) + " is not supported");
}

}  // namespace berth::api::protobuf
