// Single values, messages and watch events in protobuf, for tests and benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/protobuf/descriptors.h"
#include "api/protobuf/from_json.h"
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

// Encodes a document of a kind that has descriptors.
inline std::string EncodeProtobufObject(const Json& document, std::string_view api_version,
                                        std::string_view kind) {
  const MessageDescriptor* message = Descriptors::Get().Find(api_version, kind);
  CHECK(message != nullptr);
  std::string bytes;
  CHECK(AppendMessage(bytes, document.as_object(), *message).empty());
  return bytes;
}

// Encodes a watch event, prefixed by its length; `object` is in an envelope.
inline std::string ProtobufWatchFrame(std::string_view type, std::string_view object) {
  const std::string event = ProtobufBytes(1, type) + ProtobufBytes(2, ProtobufBytes(1, object));
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(event.size() >> shift);
  return frame + event;
}

}  // namespace berth::api::protobuf
