#include "record/compression.h"

#include "base/check.h"

namespace berth {
namespace {

constexpr int kRawDeflate = -MAX_WBITS;
constexpr int kMemoryLevel = 8;  // zlib's default.
// Every flush ends with these four bytes, which need not be kept.
constexpr std::string_view kFlushMark("\x00\x00\xff\xff", 4);

Bytef* Input(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

Deflater::Deflater() {
  const int result = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawDeflate,
                                  kMemoryLevel, Z_DEFAULT_STRATEGY);
  CHECK(result == Z_OK);  // Nothing but a lack of memory can fail.
}

Deflater::~Deflater() { deflateEnd(&stream_); }

std::string Deflater::Pack(std::string_view plain) {
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
    // Z_BUF_ERROR: there was nothing left to do. A stream that ends is not one of a Deflater.
    if (result != Z_OK && result != Z_BUF_ERROR) return false;
    plain.append(chunk, sizeof(chunk) - stream_.avail_out);
    if (plain.size() > limit) return false;
  } while (stream_.avail_out == 0);
  return stream_.avail_in == 0;
}

std::optional<std::string> Inflater::Unpack(std::string_view packed, size_t limit) {
  if (packed.size() > UINT32_MAX) return std::nullopt;
  std::string plain;
  if (!Feed(packed, limit, plain) || !Feed(kFlushMark, limit, plain)) return std::nullopt;
  return plain;
}

}  // namespace berth
