// WireReader takes protobuf's wire format apart: one message, field by field.
//
// It reads any bytes and never beyond their end; what it returns points into them.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace berth::api::protobuf {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// "a varint", for messages.
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
  // The next field, or what is wrong with the bytes. Not to be called when done.
  std::expected<WireField, std::string> Next();
  // The next varint, of a packed list.
  std::expected<uint64_t, std::string> NextVarint();

 private:
  std::expected<std::string_view, std::string> Take(uint64_t size, std::string_view what);

  std::string_view rest_;
};

}  // namespace berth::api::protobuf
