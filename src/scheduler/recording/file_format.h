// Deflater and Inflater pack records as pieces of one deflate stream: each piece can be written and
// read at once, and refers back to what earlier pieces said, so that objects that resemble each
// other cost little.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::scheduler::recording {

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

// Unpacks the pieces in the order in which they were packed.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Nothing if `packed` is not the next piece, or if more than `limit` bytes would come out. No
  // further piece can then be unpacked.
  std::optional<std::string> Decompress(std::string_view packed, size_t limit);

 private:
  // Feeds `packed`; false on an error or when `plain` grows beyond `limit`.
  bool Feed(std::string_view packed, size_t limit, std::string& plain);

  z_stream stream_ = {};
};

// How a recording looks on disk, version 1:
//
//   "BERTHREC"  the version, 4 bytes
//   frame: the header
//   frame: a record, and so on
//   closing frame, if the recording was ended in order
//
// A frame is 8 bytes and its content: the length of the content (3 bytes), a check of these three,
// the CRC-32 of the content (4 bytes), then the content, a piece of a deflate stream that runs
// through the whole file (compression.h). The closing frame has no content; in place of the CRC is
// the number of records. Numbers have their lowest byte first.
//
// A change of any bit is noticed. A file that was cut off is good up to its last whole frame.
inline constexpr std::string_view kRecordingMagic = "BERTHREC";
inline constexpr uint32_t kRecordingVersion = 1;

inline constexpr size_t kFrameHeaderSize = 8;
inline constexpr size_t kMaxFrameContent = (size_t{1} << 24) - 1;
// Of a record before it is packed.
inline constexpr size_t kMaxRecordSize = size_t{64} << 20;

struct FrameHeader {
  uint32_t length = 0;    // 0 for the closing frame.
  uint32_t checksum = 0;  // Of the content; in the closing frame, how many records there are.
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

uint32_t ChecksumOf(std::string_view content);

// `header.length` must not exceed kMaxFrameContent.
std::string EncodeFrameHeader(const FrameHeader& header);
// Nothing if the check of the length is wrong. `bytes` must be kFrameHeaderSize long.
std::optional<FrameHeader> DecodeFrameHeader(std::string_view bytes);

// Numbers of four bytes, lowest first.
std::string EncodeUint32(uint32_t number);
uint32_t DecodeUint32(std::string_view bytes);

}  // namespace berth::scheduler::recording
