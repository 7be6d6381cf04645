#include "scheduler/recording/file_format.h"

#include <zlib.h>

#include "base/check.h"

namespace berth::scheduler::recording {
namespace {

constexpr int kRawDeflate = -MAX_WBITS;
constexpr int kMemoryLevel = 8;  // zlib's default.
// Every flush ends with these four bytes, which are not stored.
constexpr std::string_view kFlushMark("\x00\x00\xff\xff", 4);

Bytef* Input(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

Deflater::Deflater() {
  const int result = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawDeflate,
                                  kMemoryLevel, Z_DEFAULT_STRATEGY);
  CHECK(result == Z_OK);  // Fails only if memory is exhausted.
}

Deflater::~Deflater() { deflateEnd(&stream_); }

std::string Deflater::Compress(std::string_view plain) {
  CHECK(!plain.empty() && plain.size() <= UINT32_MAX);
  stream_.next_in = Input(plain);
  stream_.avail_in = static_cast<uInt>(plain.size());
  std::string packed;
  char chunk[4096];
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(chunk);
    stream_.avail_out = sizeof(chunk);
    const int result = deflate(&stream_, Z_SYNC_FLUSH);
    CHECK(result == Z_OK || result == Z_BUF_ERROR);
    packed.append(chunk, sizeof(chunk) - stream_.avail_out);
  } while (stream_.avail_out == 0);
  CHECK(packed.ends_with(kFlushMark));
  packed.resize(packed.size() - kFlushMark.size());
  return packed;
}

Inflater::Inflater() { CHECK(inflateInit2(&stream_, kRawDeflate) == Z_OK); }

Inflater::~Inflater() { inflateEnd(&stream_); }

bool Inflater::Feed(std::string_view packed, size_t limit, std::string& plain) {
  stream_.next_in = Input(packed);
  stream_.avail_in = static_cast<uInt>(packed.size());
  char chunk[16384];
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(chunk);
    stream_.avail_out = sizeof(chunk);
    const int result = inflate(&stream_, Z_SYNC_FLUSH);
    // Z_BUF_ERROR means that nothing was left to do. A Deflater never ends its stream.
    if (result != Z_OK && result != Z_BUF_ERROR) return false;
    plain.append(chunk, sizeof(chunk) - stream_.avail_out);
    if (plain.size() > limit) return false;
  } while (stream_.avail_out == 0);
  return stream_.avail_in == 0;
}

std::optional<std::string> Inflater::Decompress(std::string_view packed, size_t limit) {
  if (packed.size() > UINT32_MAX) return std::nullopt;
  std::string plain;
  if (!Feed(packed, limit, plain) || !Feed(kFlushMark, limit, plain)) return std::nullopt;
  return plain;
}

namespace {

constexpr uint32_t kLengthBits = 24;

// A change of any bit of the length changes it.
uint32_t LengthChecksum(uint32_t length) {
  constexpr uint32_t kSeed = 0xa5;  // So that a run of zeros is not a frame.
  return (length ^ (length >> 8) ^ (length >> 16) ^ kSeed) & 0xff;
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
  return EncodeUint32(header.length | (LengthChecksum(header.length) << kLengthBits)) +
         EncodeUint32(header.checksum);
}

std::optional<FrameHeader> DecodeFrameHeader(std::string_view bytes) {
  CHECK(bytes.size() == kFrameHeaderSize);
  const uint32_t first = DecodeUint32(bytes.substr(0, 4));
  const uint32_t length = first & kMaxFrameContent;
  if (first >> kLengthBits != LengthChecksum(length)) return std::nullopt;
  return FrameHeader{length, DecodeUint32(bytes.substr(4))};
}

}  // namespace berth::scheduler::recording
