// Descriptors holds the fields of the protobuf messages that Berth encodes and decodes: the schemas
// of all kinds (api/scheme) by field number.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::api::scheme {
struct Schema;
}

namespace berth::api::protobuf {

struct MessageDescriptor;

enum class FieldType : uint8_t {
  kString,
  kBytes,
  kInt,
  kDouble,
  kBool,
  kQuantity,
  kTime,
  kMicroTime,
  kIntOrString,
  kRawExtension,  // Any JSON.
  kStrings,       // A message that wraps a list of strings.
  kMessage,
  // A message that holds a message, or else a boolean, a list of messages or a list of strings.
  kMessageOrBool,
  kMessageOrList,
  kMessageOrStrings,
};

struct FieldDescriptor {
  enum class Shape : uint8_t { kSingle, kList, kMap };

  uint32_t number = 0;
  std::string_view name;  // In JSON; empty if the message is embedded in its parent.
  Shape shape = Shape::kSingle;
  bool keep_zero = false;  // Set even if zero or empty.
  FieldType type = FieldType::kString;
  const MessageDescriptor* message = nullptr;  // Of kMessage and the types after it.
};

struct MessageDescriptor {
  std::string name;                     // "core.Pod"
  std::vector<FieldDescriptor> fields;  // By number.

  // Returns null if there is no such field.
  const FieldDescriptor* Find(uint32_t number) const;
};

class Descriptors {
 public:
  // Returns the descriptors of all schemas, built at the first call.
  static const Descriptors& Get();

  // Returns the message of a kind, or null. DeleteOptions and Status exist in every group.
  const MessageDescriptor* Find(std::string_view api_version, std::string_view kind) const;

 private:
  Descriptors();

  std::deque<MessageDescriptor> messages_;
  std::unordered_map<const scheme::Schema*, MessageDescriptor*> by_schema_;
};

}  // namespace berth::api::protobuf
