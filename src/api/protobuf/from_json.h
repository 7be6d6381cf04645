// The conversion of JSON to Kubernetes protobuf: responses for clients that accept nothing else.
//
// Fields that are absent in JSON are absent in protobuf, too. Go's encoder writes them as zeros,
// which decodes to the same.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/protobuf/descriptors.h"

namespace berth::api::protobuf {

// The writers append one value as field `number`.
void AppendVarint(std::string& out, uint64_t value);
void AppendInt(std::string& out, uint32_t number, int64_t value);
void AppendBytes(std::string& out, uint32_t number, std::string_view bytes);

// Appends the fields of `object` that `message` has, except values of a wrong type. Returns the
// path of the first such value; empty if there is none.
std::string AppendMessage(std::string& out, const JsonObject& object,
                          const MessageDescriptor& message);

// Returns `message`, the encoded object of a kind, in its envelope (to_json.h).
std::string InEnvelope(std::string_view api_version, std::string_view kind,
                       std::string_view message);

// Encodes an object with apiVersion and kind, in its envelope. Omits values of a wrong type. Fails
// for kinds without a schema.
std::expected<std::string, std::string> EncodeFromJson(const Json& document);

}  // namespace berth::api::protobuf
