// Descriptors holds the fields of the protobuf messages that Berth decodes: the tables of
// descriptor_tables.h with names resolved.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api::protobuf {

struct MessageDescriptor;

enum class FieldType : uint8_t {
  kString,
  kBytes,
  kInt,
  kBool,
  kQuantity,
  kTime,
  kMicroTime,
  kDuration,
  kIntOrString,
  kRawExtension,
  kStrings,
  kMessage,
};

struct FieldDescriptor {
  enum class Shape : uint8_t { kSingle, kList, kMap };

  uint32_t number = 0;
  std::string name;  // In JSON; empty if the message is embedded in its parent.
  Shape shape = Shape::kSingle;
  bool keep_zero = false;  // Set even if zero or empty.
  FieldType type = FieldType::kString;
  const MessageDescriptor* message = nullptr;  // Of kMessage.
};

struct MessageDescriptor {
  std::string name;
  std::vector<FieldDescriptor> fields;  // By number.

  // Returns null if there is no such field.
  const FieldDescriptor* Find(uint32_t number) const;
};

class Descriptors {
 public:
  // Returns the descriptors of all tables, built at the first call.
  static const Descriptors& Get();

  // Returns the message of a kind, or null. DeleteOptions and Status exist in every group.
  const MessageDescriptor* Find(std::string_view api_version, std::string_view kind) const;

 private:
  Descriptors();

  void AddTable(std::string_view group, std::string_view text);
  void AddField(std::string_view group, std::string_view text, MessageDescriptor& message);
  // Resolves `name` in `group`, then in meta, then as a full name. Returns null if there is none.
  const MessageDescriptor* Refer(std::string_view group, std::string_view name) const;

  std::map<std::string, MessageDescriptor, std::less<>> messages_;  // "core.Pod"
};

}  // namespace berth::api::protobuf
