// The conversion of Kubernetes protobuf to JSON: request bodies, and single values of messages.
//
// Covers every kind that has a schema (api/scheme/schema_tables.h).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/protobuf/descriptors.h"
#include "api/protobuf/wire_reader.h"

namespace berth::api::protobuf {

// Returns the wire type of values of `type`.
WireType WireTypeOf(FieldType type);

// Decodes `field`, whose type is not kMessage. Returns nullopt if it is the type's zero (empty
// string, 0, false) and `keep_zero` is not set, or if it is a zero time.
std::expected<std::optional<Json>, std::string> DecodeValueToJson(const WireField& field,
                                                                  FieldType type, bool keep_zero);

// Returns the whole seconds of a Time message; nullopt if it is zero.
std::expected<std::optional<int64_t>, std::string> DecodeSeconds(std::string_view bytes);

// Checks that a string is UTF-8 and returns it.
std::expected<std::string_view, std::string> CheckedText(std::string_view bytes);

inline constexpr std::string_view kContentType = "application/vnd.kubernetes.protobuf";
// What every encoded object begins with.
inline constexpr std::string_view kMagic("k8s\0", 4);

// The wrapper of an encoded object (runtime.Unknown): the bytes 6b 38 73 00, its type, the object.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
  std::string_view encoding;
};

// Parses the envelope; the result points into `body`.
std::expected<Envelope, std::string> OpenEnvelope(std::string_view body);

// Converts a request body to JSON with kind and apiVersion. Empty strings and zeros, which Go's
// encoder always writes, count as unset, except in fields marked in schema_tables.h: replicas 0
// stays. Skips unknown fields. Fails for malformed bytes and for kinds without a schema.
std::expected<Json, std::string> DecodeToJson(std::string_view body);

// Converts the message of an object alone, as DecodeToJson does.
std::expected<JsonObject, std::string> DecodeMessageToJson(std::string_view message,
                                                           const MessageDescriptor& schema);

}  // namespace berth::api::protobuf
