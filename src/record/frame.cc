#include "record/frame.h"

#include <zlib.h>

#include "base/check.h"

namespace berth {
namespace {

constexpr uint32_t kLengthBits = 24;

// Any one bit of the length changes it.
uint32_t CheckOf(uint32_t length) {
  constexpr uint32_t kOfZero = 0xa5;  // So that a run of zeros is no frame.
  return (length ^ (length >> 8) ^ (length >> 16) ^ kOfZero) & 0xff;
}

}  // namespace

uint32_t ChecksumOf(std::string_view content) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

std::string EncodeUint32(uint32_t number) {
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

uint32_t DecodeUint32(std::string_view bytes) {
  CHECK(bytes.size() == 4);
  uint32_t number = 0;
  for (unsigned i = 0; i < 4; ++i) {
    number |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return number;
}

std::string EncodeFrameHeader(const FrameHeader& header) {
  CHECK(header.length <= kMaxFrameContent);
  return EncodeUint32(header.length | (CheckOf(header.length) << kLengthBits)) +
         EncodeUint32(header.checksum);
}

std::optional<FrameHeader> DecodeFrameHeader(std::string_view bytes) {
  CHECK(bytes.size() == kFrameHeaderSize);
  const uint32_t first = DecodeUint32(bytes.substr(0, 4));
  const uint32_t length = first & kMaxFrameContent;
  if (first >> kLengthBits != CheckOf(length)) return std::nullopt;
  return FrameHeader{length, DecodeUint32(bytes.substr(4))};
}

}  // namespace berth
