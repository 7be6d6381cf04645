#include "kinds/protobuf_body.h"

#include <boost/json.hpp>
#include <string>
#include <utility>

#include "kinds/patch_errors.h"
#include "kinds/protobuf_reader.h"
#include "kinds/protobuf_schema.h"
#include "kinds/protobuf_values.h"

namespace berth::apiserver {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr int kMaxDepth = 64;

using Outcome = std::expected<void, std::string>;

Outcome DecodeMessage(std::string_view bytes, const ProtobufMessage& schema, JsonObject& object,
                      int depth);

// One value of a list or a map, which is kept even if it is zero.
std::expected<Json, std::string> DecodeElement(const WireField& wire, const ProtobufField& field,
                                               int depth) {
  if (field.type != ProtobufType::kMessage) {
    auto value = DecodeProtobufValue(wire, field.type, true);
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

Outcome DecodeList(const WireField& wire, const ProtobufField& field, Json& list, int depth) {
  if (!list.is_array()) list = JsonArray();
  JsonArray& array = list.get_array();
  const bool numbers = field.type == ProtobufType::kInt || field.type == ProtobufType::kBool;
  if (numbers && wire.type == WireType::kBytes) {
    for (ProtobufReader packed(wire.bytes); !packed.done();) {
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

// A value that an entry of a map leaves out: the type's zero.
Json ZeroOf(ProtobufType type) {
  if (type == ProtobufType::kMessage) return JsonObject();
  if (type == ProtobufType::kInt) return 0;
  if (type == ProtobufType::kBool) return false;
  return "";
}

Outcome DecodeMapEntry(const WireField& wire, const ProtobufField& field, Json& map, int depth) {
  if (wire.type != WireType::kBytes) {
    return std::unexpected("an entry of a map is " + std::string(NameOf(wire.type)));
  }
  if (!map.is_object()) map = JsonObject();
  std::string key;
  Json value = ZeroOf(field.type);
  for (ProtobufReader reader(wire.bytes); !reader.done();) {
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

Outcome DecodeSingle(const WireField& wire, const ProtobufField& field, JsonObject& object,
                     int depth) {
  if (field.type != ProtobufType::kMessage) {
    auto value = DecodeProtobufValue(wire, field.type, field.keep_zero);
    if (!value) return std::unexpected(std::move(value.error()));
    if (*value) object.insert_or_assign(field.name, **std::move(value));
    return {};
  }
  if (wire.type != WireType::kBytes) {
    return std::unexpected("a message is " + std::string(NameOf(wire.type)));
  }
  if (field.name.empty()) return DecodeMessage(wire.bytes, *field.message, object, depth);
  // A message that comes in several parts is their union, as protobuf has it.
  JsonObject member;
  if (Json* before = object.if_contains(field.name)) member = std::move(before->get_object());
  if (auto outcome = DecodeMessage(wire.bytes, *field.message, member, depth); !outcome) {
    return outcome;
  }
  if (!member.empty() || field.keep_zero) object.insert_or_assign(field.name, std::move(member));
  return {};
}

Outcome DecodeField(const WireField& wire, const ProtobufField& field, JsonObject& object,
                    int depth) {
  switch (field.shape) {
    case ProtobufField::Shape::kList:
      return DecodeList(wire, field, object[field.name], depth);
    case ProtobufField::Shape::kMap:
      return DecodeMapEntry(wire, field, object[field.name], depth);
    default:
      return DecodeSingle(wire, field, object, depth);
  }
}

Outcome DecodeMessage(std::string_view bytes, const ProtobufMessage& schema, JsonObject& object,
                      int depth) {
  if (depth > kMaxDepth) return std::unexpected("messages are nested too deeply");
  for (ProtobufReader reader(bytes); !reader.done();) {
    const auto wire = reader.Next();
    if (!wire) return std::unexpected(schema.name + ": " + wire.error());
    // Fields of later versions are passed over.
    const ProtobufField* field = schema.Find(wire->number);
    if (field == nullptr) continue;
    if (auto outcome = DecodeField(*wire, *field, object, depth + 1); !outcome) {
      return std::unexpected(field->name.empty() ? outcome.error()
                                                 : field->name + ": " + outcome.error());
    }
  }
  return {};
}

Outcome ReadEnvelope(std::string_view bytes, ProtobufEnvelope& envelope) {
  for (ProtobufReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return std::unexpected(field.error());
    if (field->number == 2) envelope.object = field->bytes;
    if (field->number == 3) envelope.encoding = field->bytes;
    if (field->number != 1) continue;
    for (ProtobufReader type(field->bytes); !type.done();) {
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

ApiError BadBody(const std::string& why) {
  return MalformedPatch("the protobuf body cannot be read: " + why);
}

}  // namespace

std::expected<ProtobufEnvelope, std::string> OpenProtobufEnvelope(std::string_view body) {
  if (!body.starts_with(kMagic)) {
    return std::unexpected("it does not start with the bytes 6b 38 73 00");
  }
  ProtobufEnvelope envelope;
  if (auto outcome = ReadEnvelope(body.substr(kMagic.size()), envelope); !outcome) {
    return std::unexpected("the envelope: " + outcome.error());
  }
  return envelope;
}

ApiResult<Json> DecodeProtobufBody(std::string_view body) {
  const auto opened = OpenProtobufEnvelope(body);
  if (!opened) return std::unexpected(BadBody(opened.error()));
  const ProtobufEnvelope& envelope = *opened;
  const std::string type = std::string(envelope.kind) + " of " + std::string(envelope.api_version);
  const ProtobufMessage* schema = ProtobufSchema::Get().Find(envelope.api_version, envelope.kind);
  if (schema == nullptr) {
    return std::unexpected(BadBody("kind " + type + " is not known in this form; send JSON"));
  }
  JsonObject object;
  object["kind"] = envelope.kind;
  object["apiVersion"] = envelope.api_version;
  if (auto outcome = DecodeMessage(envelope.object, *schema, object, 0); !outcome) {
    return std::unexpected(BadBody(type + ": " + outcome.error()));
  }
  return object;
}

}  // namespace berth::apiserver
