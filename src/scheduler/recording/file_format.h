// The file format of recordings: frames with checksums, whose contents form one deflate stream.
//
//   "BERTHREC"  version (4 bytes)
//   frame: the header
//   frame: a record, and so on
//   closing frame, if the recording was closed
//
// A frame is 8 bytes and its content: the content's length (3 bytes), a checksum of these three
// bytes, the CRC-32 of the content (4 bytes), then the content. The closing frame has no content
// and the number of records instead of the CRC. Numbers are little-endian.
//
// A change of any bit is detected. A truncated file is valid up to its last complete frame.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::scheduler::recording {

// Deflater compresses records as pieces of one deflate stream. Each piece is complete when it is
// written, and refers back to earlier pieces, so that similar objects cost little.
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // `plain` must not be empty.
  std::string Compress(std::string_view plain);

 private:
  z_stream stream_ = {};
};

// Inflater decompresses the pieces in the order in which they were compressed.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Returns nullopt if `packed` is not the next piece or its content exceeds `limit` bytes. No
  // further piece can then be decompressed.
  std::optional<std::string> Decompress(std::string_view packed, size_t limit);

 private:
  // Returns false on an error or if `plain` exceeds `limit`.
  bool Feed(std::string_view packed, size_t limit, std::string& plain);

  z_stream stream_ = {};
};

inline constexpr std::string_view kRecordingMagic = "BERTHREC";
inline constexpr uint32_t kRecordingVersion = 3;
// That of the first release: recordings of every release are read.
inline constexpr uint32_t kOldestRecordingVersion = 3;

inline constexpr size_t kFrameHeaderSize = 8;
inline constexpr size_t kMaxFrameContent = (size_t{1} << 24) - 1;
// Of a record before compression.
inline constexpr size_t kMaxRecordSize = size_t{64} << 20;

struct FrameHeader {
  uint32_t length = 0;    // 0 for the closing frame.
  uint32_t checksum = 0;  // Of the content; in the closing frame, the number of records.
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

uint32_t ChecksumOf(std::string_view content);

// `header.length` must not exceed kMaxFrameContent.
std::string EncodeFrameHeader(const FrameHeader& header);
// Returns nullopt if the length's checksum is wrong. `bytes` must be kFrameHeaderSize long.
std::optional<FrameHeader> DecodeFrameHeader(std::string_view bytes);

// Four bytes, little-endian.
std::string EncodeUint32(uint32_t number);
uint32_t DecodeUint32(std::string_view bytes);

}  // namespace berth::scheduler::recording
