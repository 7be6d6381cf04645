#include "api/protobuf/from_json.h"

#include <bit>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/protobuf/to_json.h"
#include "api/timestamp.h"
#include "base/base64.h"
#include "base/time.h"

namespace berth::api::protobuf {
namespace {

using enum FieldType;

constexpr int64_t kNanosPerSecond = 1'000'000'000;

// Wraps a text in a message with one field, as a quantity or raw JSON.
void AppendWrapped(std::string& out, uint32_t number, std::string_view text) {
  std::string message;
  AppendBytes(message, 1, text);
  AppendBytes(out, number, message);
}

void AppendTime(std::string& out, uint32_t number, Instant instant) {
  int64_t seconds = instant.nanos / kNanosPerSecond;
  int64_t nanos = instant.nanos % kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --seconds;
  }
  std::string message;
  AppendInt(message, 1, seconds);
  AppendInt(message, 2, nanos);
  AppendBytes(out, number, message);
}

// The append functions return false if the value has another type, and append nothing.

bool AppendText(std::string& out, uint32_t number, const Json& value, FieldType type) {
  const auto* string = value.if_string();
  // A quantity may be a number.
  if (string == nullptr && type == kQuantity && value.is_number()) {
    AppendWrapped(out, number, ToJsonText(value));
    return true;
  }
  if (string == nullptr) return false;
  const std::string_view text(*string);
  if (type == kTime || type == kMicroTime) {
    const auto instant = ParseTimestamp(text);
    if (instant) AppendTime(out, number, *instant);
    return instant.has_value();
  }
  if (type == kBytes) {
    const auto bytes = DecodeBase64(text);
    if (bytes) AppendBytes(out, number, *bytes);
    return bytes.has_value();
  }
  if (type == kQuantity) {
    AppendWrapped(out, number, text);
  } else {
    AppendBytes(out, number, text);
  }
  return true;
}

bool AppendNumber(std::string& out, uint32_t number, const Json& value, FieldType type) {
  if (type == kBool) {
    if (value.is_bool()) AppendInt(out, number, value.get_bool() ? 1 : 0);
    return value.is_bool();
  }
  if (type == kInt) {
    const auto integer = AsInt(&value);
    if (integer) AppendInt(out, number, *integer);
    return integer.has_value();
  }
  if (!value.is_number()) return false;
  AppendVarint(out, uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kFixed64));
  auto bits = std::bit_cast<uint64_t>(value.to_number<double>());
  for (int i = 0; i < 8; ++i, bits >>= 8) out += static_cast<char>(bits & 0xff);
  return true;
}

bool AppendIntOrString(std::string& out, uint32_t number, const Json& value) {
  const auto integer = AsInt(&value);
  if (!value.is_string() && !integer) return false;
  std::string message;
  AppendInt(message, 1, value.is_string() ? 1 : 0);
  AppendInt(message, 2, integer.value_or(0));
  AppendBytes(message, 3, AsString(value));
  AppendBytes(out, number, message);
  return true;
}

bool AppendStrings(std::string& out, uint32_t number, const Json& value) {
  const JsonArray* list = value.if_array();
  if (list == nullptr) return false;
  std::string message;
  for (const Json& text : *list) {
    if (!text.is_string()) return false;
    AppendBytes(message, 1, AsString(text));
  }
  AppendBytes(out, number, message);
  return true;
}

// MessageWriter encodes what it can, and notes the path of the first value that it had to omit.
class MessageWriter {
 public:
  void Message(std::string& out, const JsonObject& object, const MessageDescriptor& message) {
    for (const FieldDescriptor& field : message.fields) {
      if (field.name.empty()) {
        std::string embedded;
        Message(embedded, object, *field.message);
        AppendBytes(out, field.number, embedded);
        continue;
      }
      const Json* value = object.if_contains(field.name);
      if (value == nullptr || value->is_null()) continue;
      const size_t length = path_.size();
      if (length != 0) path_ += '.';
      path_ += field.name;
      Field(out, *value, field);
      path_.resize(length);
    }
  }

  std::string Take() { return std::move(omitted_); }

 private:
  void Field(std::string& out, const Json& value, const FieldDescriptor& field) {
    if (field.shape == FieldDescriptor::Shape::kList) {
      const JsonArray* list = value.if_array();
      if (list == nullptr) return Omit();
      for (const Json& element : *list) Value(out, field.number, element, field);
    } else if (field.shape == FieldDescriptor::Shape::kMap) {
      const JsonObject* map = value.if_object();
      if (map == nullptr) return Omit();
      for (const auto& [key, element] : *map) {
        std::string entry;
        AppendBytes(entry, 1, key);
        Value(entry, 2, element, field);
        AppendBytes(out, field.number, entry);
      }
    } else {
      Value(out, field.number, value, field);
    }
  }

  void Value(std::string& out, uint32_t number, const Json& value, const FieldDescriptor& field) {
    if (field.type == kMessage) {
      const JsonObject* object = value.if_object();
      if (object == nullptr) return Omit();
      std::string message;
      Message(message, *object, *field.message);
      AppendBytes(out, number, message);
    } else if (field.type > kMessage) {
      Union(out, number, value, field);
    } else if (!Scalar(out, number, value, field.type)) {
      Omit();
    }
  }

  // Encodes a message that holds either a message or the alternative.
  void Union(std::string& out, uint32_t number, const Json& value, const FieldDescriptor& field) {
    const bool or_bool = field.type == kMessageOrBool;
    std::string held;
    if (const JsonObject* object = value.if_object()) {
      std::string message;
      Message(message, *object, *field.message);
      if (or_bool) AppendInt(held, 1, 1);
      AppendBytes(held, or_bool ? 2 : 1, message);
    } else if (or_bool && value.is_bool()) {
      AppendInt(held, 1, value.get_bool() ? 1 : 0);
    } else if (const JsonArray* list = value.if_array(); list != nullptr && !or_bool) {
      FieldDescriptor element{.number = 2,
                              .name = {},
                              .type = field.type == kMessageOrList ? kMessage : kString,
                              .message = field.message};
      for (const Json& one : *list) Value(held, 2, one, element);
    } else {
      return Omit();
    }
    AppendBytes(out, number, held);
  }

  static bool Scalar(std::string& out, uint32_t number, const Json& value, FieldType type) {
    switch (type) {
      case kInt:
      case kDouble:
      case kBool:
        return AppendNumber(out, number, value, type);
      case kIntOrString:
        return AppendIntOrString(out, number, value);
      case kStrings:
        return AppendStrings(out, number, value);
      case kRawExtension:
        AppendWrapped(out, number, ToJsonText(value));
        return true;
      default:
        return AppendText(out, number, value, type);
    }
  }

  void Omit() {
    if (omitted_.empty()) omitted_ = path_;
  }

  std::string path_;
  std::string omitted_;
};

}  // namespace

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void AppendInt(std::string& out, uint32_t number, int64_t value) {
  AppendVarint(out, uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kVarint));
  AppendVarint(out, static_cast<uint64_t>(value));
}

void AppendBytes(std::string& out, uint32_t number, std::string_view bytes) {
  AppendVarint(out, uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kBytes));
  AppendVarint(out, bytes.size());
  out += bytes;
}

std::string AppendMessage(std::string& out, const JsonObject& object,
                          const MessageDescriptor& message) {
  MessageWriter writer;
  writer.Message(out, object, message);
  return writer.Take();
}

std::string InEnvelope(std::string_view api_version, std::string_view kind,
                       std::string_view message) {
  std::string type;
  AppendBytes(type, 1, api_version);
  AppendBytes(type, 2, kind);
  std::string out(kMagic);
  AppendBytes(out, 1, type);
  AppendBytes(out, 2, message);
  AppendBytes(out, 3, "");
  AppendBytes(out, 4, "");
  return out;
}

std::expected<std::string, std::string> EncodeFromJson(const Json& document) {
  const JsonObject* object = document.if_object();
  const std::string_view api_version = StringAt(object, "apiVersion");
  const std::string_view kind = StringAt(object, "kind");
  const MessageDescriptor* descriptor = Descriptors::Get().Find(api_version, kind);
  if (object == nullptr || descriptor == nullptr) {
    return std::unexpected("kind " + std::string(kind) + " of " + std::string(api_version) +
                           " has no protobuf form");
  }
  std::string message;
  AppendMessage(message, *object, *descriptor);
  return InEnvelope(api_version, kind, message);
}

}  // namespace berth::api::protobuf
