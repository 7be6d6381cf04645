// WireReader parses one message of protobuf's wire format field by field.
//
// Malformed bytes give an error. Results point into the bytes.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace berth::api::protobuf {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Returns the name for messages: "a varint".
std::string_view NameOf(WireType type);

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // Of a varint or fixed field.
  std::string_view bytes;  // Of a length-delimited one.
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  // Returns the next field or an error. Must not be called when done.
  std::expected<WireField, std::string> Next();
  // Returns the next varint of a packed list.
  std::expected<uint64_t, std::string> NextVarint();

 private:
  std::expected<std::string_view, std::string> Take(uint64_t size, std::string_view what);

  std::string_view rest_;
};

}  // namespace berth::api::protobuf
