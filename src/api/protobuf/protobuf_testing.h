// An encoder of JSON documents as Kubernetes protobuf, for tests and benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/json/json.h"
#include "api/json/writer.h"
#include "api/protobuf/descriptors.h"
#include "api/timestamp.h"
#include "base/check.h"

namespace berth::api::protobuf {

inline std::string ProtobufVarint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::string ProtobufInt(uint64_t number, int64_t value) {
  return ProtobufVarint(number << 3) + ProtobufVarint(static_cast<uint64_t>(value));
}

inline std::string ProtobufBytes(uint64_t number, std::string_view bytes) {
  return ProtobufVarint(number << 3 | 2) + ProtobufVarint(bytes.size()) + std::string(bytes);
}

std::string EncodeProtobuf(const JsonObject& object, const MessageDescriptor& message);

// Encodes one value as field `number`.
inline std::string EncodeProtobufValue(const Json& value, const FieldDescriptor& field,
                                       uint64_t number) {
  const auto text = [&] { return std::string_view(value.as_string()); };
  switch (field.type) {
    case FieldType::kString:
      return ProtobufBytes(number, text());
    case FieldType::kInt:
      return ProtobufInt(number, value.as_int64());
    case FieldType::kBool:
      return ProtobufInt(number, value.as_bool());
    case FieldType::kQuantity:
      return ProtobufBytes(number, ProtobufBytes(1, text()));
    case FieldType::kTime: {
      const int64_t seconds = ParseTimestamp(text())->nanos / 1'000'000'000;
      return ProtobufBytes(number, ProtobufInt(1, seconds) + ProtobufInt(2, 0));
    }
    case FieldType::kRawExtension:
      return ProtobufBytes(number, ProtobufBytes(1, ToJsonText(value)));
    case FieldType::kMessage:
      return ProtobufBytes(number, EncodeProtobuf(value.as_object(), *field.message));
    default:
      CHECK(false);
      return {};
  }
}

inline std::string EncodeProtobuf(const JsonObject& object, const MessageDescriptor& message) {
  std::string bytes;
  for (const FieldDescriptor& field : message.fields) {
    if (field.name.empty()) {
      bytes += ProtobufBytes(field.number, EncodeProtobuf(object, *field.message));
      continue;
    }
    const Json* value = object.if_contains(field.name);
    if (value == nullptr || value->is_null()) continue;
    if (field.shape == FieldDescriptor::Shape::kList) {
      for (const Json& element : value->as_array()) {
        bytes += EncodeProtobufValue(element, field, field.number);
      }
    } else if (field.shape == FieldDescriptor::Shape::kMap) {
      for (const auto& [key, element] : value->as_object()) {
        bytes += ProtobufBytes(field.number, ProtobufBytes(1, std::string_view(key)) +
                                                 EncodeProtobufValue(element, field, 2));
      }
    } else {
      bytes += EncodeProtobufValue(*value, field, field.number);
    }
  }
  return bytes;
}

// Encodes a document of a kind that has descriptors.
inline std::string EncodeProtobufObject(const Json& document, std::string_view api_version,
                                        std::string_view kind) {
  const MessageDescriptor* message = Descriptors::Get().Find(api_version, kind);
  CHECK(message != nullptr);
  return EncodeProtobuf(document.as_object(), *message);
}

inline std::string ProtobufInEnvelope(std::string_view api_version, std::string_view kind,
                                      std::string_view message) {
  return std::string("k8s\0", 4) +
         ProtobufBytes(1, ProtobufBytes(1, api_version) + ProtobufBytes(2, kind)) +
         ProtobufBytes(2, message) + ProtobufBytes(3, "") + ProtobufBytes(4, "");
}

// Encodes a watch event, prefixed by its length; `object` is in an envelope.
inline std::string ProtobufWatchFrame(std::string_view type, std::string_view object) {
  const std::string event = ProtobufBytes(1, type) + ProtobufBytes(2, ProtobufBytes(1, object));
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(event.size() >> shift);
  return frame + event;
}

}  // namespace berth::api::protobuf
