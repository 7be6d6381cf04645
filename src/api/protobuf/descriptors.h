// Descriptors knows the fields of the protobuf messages that the API server reads: the tables of
// protobuf_tables.h, with names resolved.
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
  std::string name;  // In JSON; empty if the message's fields are those of its parent.
  Shape shape = Shape::kSingle;
  bool keep_zero = false;
  FieldType type = FieldType::kString;
  const MessageDescriptor* message = nullptr;  // Of kMessage.
};

struct MessageDescriptor {
  std::string name;
  std::vector<FieldDescriptor> fields;  // By number.

  // Null if there is none.
  const FieldDescriptor* Find(uint32_t number) const;
};

class Descriptors {
 public:
  // Of all tables, made at the first call.
  static const Descriptors& Get();

  // The message of a kind: DeleteOptions and Status are known in every group. Null if there is
  // none.
  const MessageDescriptor* Find(std::string_view api_version, std::string_view kind) const;

 private:
  Descriptors();

  void AddTable(std::string_view group, std::string_view text);
  void AddField(std::string_view group, std::string_view text, MessageDescriptor& message);
  // The message `name` as seen from `group`: its own, or of meta. Null if there is none.
  const MessageDescriptor* Refer(std::string_view group, std::string_view name) const;

  std::map<std::string, MessageDescriptor, std::less<>> messages_;  // "core.Pod"
};

}  // namespace berth::api::protobuf
