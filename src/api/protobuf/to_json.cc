#include "api/protobuf/to_json.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/protobuf/descriptors.h"
#include "api/protobuf/wire_reader.h"
#include "api/timestamp.h"
#include "base/base64.h"
#include "base/time.h"

namespace berth::api::protobuf {
namespace {

using Decoded = std::expected<std::optional<Json>, std::string>;
using enum FieldType;

// Approximately the range of an Instant: the years 1685 to 2255.
constexpr int64_t kMaxSeconds = 9'000'000'000;

// The fields of a message that represents one value, by number; such messages have at most three.
struct SmallMessage {
  uint64_t numbers[4] = {};
  std::string_view texts[4];
};

std::expected<SmallMessage, std::string> ReadSmall(std::string_view bytes) {
  SmallMessage message;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return std::unexpected(field.error());
    if (field->number >= std::size(message.numbers)) continue;
    message.numbers[field->number] = field->value;
    message.texts[field->number] = field->bytes;
  }
  return message;
}

Decoded Text(std::string_view bytes) {
  const auto text = CheckedText(bytes);
  if (!text) return std::unexpected(text.error());
  return Json(*text);
}

// Returns nullopt for a zero time, an error if it is out of range, and else an empty string.
std::optional<std::string> CheckTime(int64_t seconds, int64_t nanos) {
  if (seconds == 0 && nanos == 0) return std::nullopt;
  if (seconds > kMaxSeconds || seconds < -kMaxSeconds || nanos < 0 || nanos >= 1'000'000'000) {
    return "a time of " + std::to_string(seconds) + " s and " + std::to_string(nanos) +
           " ns is out of range";
  }
  return "";
}

Decoded Time(const SmallMessage& message, bool micro) {
  const auto seconds = static_cast<int64_t>(message.numbers[1]);
  const auto nanos = static_cast<int64_t>(message.numbers[2]);
  const auto problem = CheckTime(seconds, nanos);
  if (!problem) return std::nullopt;
  if (!problem->empty()) return std::unexpected(*problem);
  std::string text = FormatTimestamp(Instant::FromUnixSeconds(seconds));
  if (micro) {
    const std::string fraction = std::to_string(1'000'000 + nanos / 1'000);
    text.replace(text.size() - 1, 1, "." + fraction.substr(1) + "Z");
  }
  return Json(text);
}

Decoded DecodeRawExtension(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  auto value = ParseJson(bytes);
  if (!value) return std::unexpected("it is not JSON: " + value.error().message);
  return *std::move(value);
}

Decoded Strings(std::string_view bytes) {
  JsonArray list;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return std::unexpected(field.error());
    if (field->number != 1) continue;
    auto text = Text(field->bytes);
    if (!text) return text;
    list.push_back(**std::move(text));
  }
  return list;
}

// Returns whole numbers as such, as JSON has them.
Decoded NumberOf(double number) {
  constexpr double kMaxExact = 1LL << 53;
  if (!std::isfinite(number)) return std::unexpected("a number is not finite");
  const bool whole = std::trunc(number) == number && std::abs(number) <= kMaxExact;
  return whole ? Json(static_cast<int64_t>(number)) : Json(number);
}

// Decodes a value that is a message in protobuf and a scalar in JSON.
Decoded FromMessage(std::string_view bytes, FieldType type) {
  if (type == kStrings) return Strings(bytes);
  const auto message = ReadSmall(bytes);
  if (!message) return std::unexpected(message.error());
  switch (type) {
    case kQuantity:
      return message->texts[1].empty() ? Decoded(Json("0")) : Text(message->texts[1]);
    case kTime:
      return Time(*message, false);
    case kMicroTime:
      return Time(*message, true);
    case kIntOrString:
      if (message->numbers[1] == 1) return Text(message->texts[3]);
      return Json(static_cast<int64_t>(static_cast<int32_t>(message->numbers[2])));
    default:
      return DecodeRawExtension(message->texts[1]);
  }
}

}  // namespace

std::expected<std::string_view, std::string> CheckedText(std::string_view bytes) {
  if (!IsUtf8(bytes)) {
    return std::unexpected("a string is not UTF-8");
  }
  return bytes;
}

std::expected<std::optional<int64_t>, std::string> DecodeSeconds(std::string_view bytes) {
  const auto message = ReadSmall(bytes);
  if (!message) return std::unexpected(message.error());
  if (message->numbers[1] == 0 && message->numbers[2] == 0) return std::nullopt;
  return static_cast<int64_t>(message->numbers[1]);
}

WireType WireTypeOf(FieldType type) {
  if (type == kInt || type == kBool) return WireType::kVarint;
  return type == kDouble ? WireType::kFixed64 : WireType::kBytes;
}

Decoded DecodeValueToJson(const WireField& field, FieldType type, bool keep_zero) {
  const WireType wanted = WireTypeOf(type);
  if (field.type != wanted) {
    return std::unexpected("the value is " + std::string(NameOf(field.type)) + " instead of " +
                           std::string(NameOf(wanted)));
  }
  if (wanted == WireType::kVarint) {
    if (field.value == 0 && !keep_zero) return std::nullopt;
    return type == kBool ? Json(field.value != 0) : Json(static_cast<int64_t>(field.value));
  }
  if (wanted == WireType::kFixed64) {
    if (field.value == 0 && !keep_zero) return std::nullopt;
    return NumberOf(std::bit_cast<double>(field.value));
  }
  if (type == kString || type == kBytes) {
    if (field.bytes.empty() && !keep_zero) return std::nullopt;
    return type == kString ? Text(field.bytes) : Decoded(Json(EncodeBase64(field.bytes)));
  }
  return FromMessage(field.bytes, type);
}

namespace {

constexpr int kMaxDepth = 64;

using Outcome = std::expected<void, std::string>;

Outcome DecodeMessage(std::string_view bytes, const MessageDescriptor& schema, JsonObject& object,
                      int depth);

bool IsUnion(FieldType type) { return type > FieldType::kMessage; }

// Decodes a message that holds either a message or the alternative.
std::expected<Json, std::string> DecodeUnion(std::string_view bytes, const FieldDescriptor& field,
                                             int depth) {
  const uint32_t message_number = field.type == FieldType::kMessageOrBool ? 2 : 1;
  Json result;
  for (WireReader reader(bytes); !reader.done();) {
    const auto part = reader.Next();
    if (!part) return std::unexpected(part.error());
    if (part->number == 0 || part->number > 2) continue;
    if (field.type == FieldType::kMessageOrBool && part->number == 1) {
      if (!result.is_object()) result = part->value != 0;
      continue;
    }
    Json element;
    if (part->number == message_number || field.type == FieldType::kMessageOrList) {
      JsonObject object;
      auto outcome = DecodeMessage(part->bytes, *field.message, object, depth + 1);
      if (!outcome) return std::unexpected(std::move(outcome.error()));
      element = std::move(object);
    } else {
      const auto text = CheckedText(part->bytes);
      if (!text) return std::unexpected(text.error());
      element = *text;
    }
    if (part->number == message_number) {
      result = std::move(element);
    } else {
      if (!result.is_array()) result = JsonArray();
      result.get_array().push_back(std::move(element));
    }
  }
  return result;
}

// Decodes an element of a list or a map, which is set even if it is zero.
std::expected<Json, std::string> DecodeElement(const WireField& wire, const FieldDescriptor& field,
                                               int depth) {
  if (IsUnion(field.type)) return DecodeUnion(wire.bytes, field, depth);
  if (field.type != FieldType::kMessage) {
    auto value = DecodeValueToJson(wire, field.type, true);
    if (!value) return std::unexpected(std::move(value.error()));
    return *value ? **std::move(value) : Json();
  }
  if (wire.type != WireType::kBytes) {
    return std::unexpected("a message is " + std::string(NameOf(wire.type)));
  }
  JsonObject object;
  if (auto outcome = DecodeMessage(wire.bytes, *field.message, object, depth); !outcome) {
    return std::unexpected(std::move(outcome.error()));
  }
  return object;
}

Outcome DecodeList(const WireField& wire, const FieldDescriptor& field, Json& list, int depth) {
  if (!list.is_array()) list = JsonArray();
  JsonArray& array = list.get_array();
  const bool numbers = field.type == FieldType::kInt || field.type == FieldType::kBool;
  if (numbers && wire.type == WireType::kBytes) {
    for (WireReader packed(wire.bytes); !packed.done();) {
      const auto value = packed.NextVarint();
      if (!value) return std::unexpected(value.error());
      auto element = DecodeElement({wire.number, WireType::kVarint, *value, {}}, field, depth);
      if (!element) return std::unexpected(std::move(element.error()));
      array.push_back(*std::move(element));
    }
    return {};
  }
  auto element = DecodeElement(wire, field, depth);
  if (!element) return std::unexpected(std::move(element.error()));
  array.push_back(*std::move(element));
  return {};
}

// Returns the type's zero, the value of a map entry without one.
Json ZeroOf(FieldType type) {
  if (type == FieldType::kMessage) return JsonObject();
  if (type == FieldType::kInt) return 0;
  if (type == FieldType::kBool) return false;
  if (type == FieldType::kStrings) return JsonArray();
  return "";
}

Outcome DecodeMapEntry(const WireField& wire, const FieldDescriptor& field, Json& map, int depth) {
  if (wire.type != WireType::kBytes) {
    return std::unexpected("an entry of a map is " + std::string(NameOf(wire.type)));
  }
  if (!map.is_object()) map = JsonObject();
  std::string key;
  Json value = ZeroOf(field.type);
  for (WireReader reader(wire.bytes); !reader.done();) {
    const auto part = reader.Next();
    if (!part) return std::unexpected(part.error());
    if (part->number == 1) {
      const auto text = CheckedText(part->bytes);
      if (!text) return std::unexpected(text.error());
      key = *text;
    } else if (part->number == 2) {
      auto decoded = DecodeElement(*part, field, depth);
      if (!decoded) return std::unexpected("[" + key + "]: " + decoded.error());
      value = *std::move(decoded);
    }
  }
  map.get_object().insert_or_assign(key, std::move(value));
  return {};
}

Outcome DecodeSingle(const WireField& wire, const FieldDescriptor& field, JsonObject& object,
                     int depth) {
  if (IsUnion(field.type)) {
    auto value = DecodeUnion(wire.bytes, field, depth);
    if (!value) return std::unexpected(std::move(value.error()));
    object.insert_or_assign(field.name, *std::move(value));
    return {};
  }
  if (field.type != FieldType::kMessage) {
    auto value = DecodeValueToJson(wire, field.type, field.keep_zero);
    if (!value) return std::unexpected(std::move(value.error()));
    if (*value) object.insert_or_assign(field.name, **std::move(value));
    return {};
  }
  if (wire.type != WireType::kBytes) {
    return std::unexpected("a message is " + std::string(NameOf(wire.type)));
  }
  if (field.name.empty()) return DecodeMessage(wire.bytes, *field.message, object, depth);
  // Protobuf merges a message that occurs several times.
  JsonObject member;
  if (Json* before = object.if_contains(field.name)) member = std::move(before->get_object());
  if (auto outcome = DecodeMessage(wire.bytes, *field.message, member, depth); !outcome) {
    return outcome;
  }
  if (!member.empty() || field.keep_zero) object.insert_or_assign(field.name, std::move(member));
  return {};
}

Outcome DecodeField(const WireField& wire, const FieldDescriptor& field, JsonObject& object,
                    int depth) {
  switch (field.shape) {
    case FieldDescriptor::Shape::kList:
      return DecodeList(wire, field, object[field.name], depth);
    case FieldDescriptor::Shape::kMap:
      return DecodeMapEntry(wire, field, object[field.name], depth);
    default:
      return DecodeSingle(wire, field, object, depth);
  }
}

Outcome DecodeMessage(std::string_view bytes, const MessageDescriptor& schema, JsonObject& object,
                      int depth) {
  if (depth > kMaxDepth) return std::unexpected("messages are nested too deeply");
  for (WireReader reader(bytes); !reader.done();) {
    const auto wire = reader.Next();
    if (!wire) return std::unexpected(schema.name + ": " + wire.error());
    // Fields of later versions are skipped.
    const FieldDescriptor* field = schema.Find(wire->number);
    if (field == nullptr) continue;
    if (auto outcome = DecodeField(*wire, *field, object, depth + 1); !outcome) {
      if (field->name.empty()) return outcome;
      return std::unexpected(std::string(field->name) + ": " + outcome.error());
    }
  }
  return {};
}

Outcome ReadEnvelope(std::string_view bytes, Envelope& envelope) {
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return std::unexpected(field.error());
    if (field->number == 2) envelope.object = field->bytes;
    if (field->number == 3) envelope.encoding = field->bytes;
    if (field->number != 1) continue;
    for (WireReader type(field->bytes); !type.done();) {
      const auto part = type.Next();
      if (!part) return std::unexpected("its type: " + part.error());
      const auto text = CheckedText(part->bytes);
      if (!text) return std::unexpected("its type: " + text.error());
      if (part->number == 1) envelope.api_version = *text;
      if (part->number == 2) envelope.kind = *text;
    }
  }
  if (!envelope.encoding.empty()) return std::unexpected("it has a content encoding");
  return {};
}

}  // namespace

std::expected<Envelope, std::string> OpenEnvelope(std::string_view body) {
  if (!body.starts_with(kMagic)) {
    return std::unexpected("it does not start with the bytes 6b 38 73 00");
  }
  Envelope envelope;
  if (auto outcome = ReadEnvelope(body.substr(kMagic.size()), envelope); !outcome) {
    return std::unexpected("the envelope: " + outcome.error());
  }
  return envelope;
}

std::expected<Json, std::string> DecodeToJson(std::string_view body) {
  const auto opened = OpenEnvelope(body);
  if (!opened) return std::unexpected(opened.error());
  const Envelope& envelope = *opened;
  const std::string type = std::string(envelope.kind) + " of " + std::string(envelope.api_version);
  const MessageDescriptor* schema = Descriptors::Get().Find(envelope.api_version, envelope.kind);
  if (schema == nullptr) {
    return std::unexpected("kind " + type + " is not known in this form; send JSON");
  }
  JsonObject object;
  object["kind"] = envelope.kind;
  object["apiVersion"] = envelope.api_version;
  if (auto outcome = DecodeMessage(envelope.object, *schema, object, 0); !outcome) {
    return std::unexpected(type + ": " + outcome.error());
  }
  return object;
}

std::expected<JsonObject, std::string> DecodeMessageToJson(std::string_view message,
                                                           const MessageDescriptor& schema) {
  JsonObject object;
  if (auto outcome = DecodeMessage(message, schema, object, 0); !outcome) {
    return std::unexpected(std::move(outcome.error()));
  }
  return object;
}

}  // namespace berth::api::protobuf
