// Conversions between nghttp2's C types and ours. For .cc files only.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::net {

// What HTTP/2 counts for each header besides its name and value.
constexpr size_t kHttp2HeaderOverhead = 32;
// The size of a frame header.
constexpr size_t kHttp2FrameHead = 9;

inline std::string_view TextOf(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// Returns a header to be sent. nghttp2 copies name and value.
inline nghttp2_nv Http2Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// Converts a header name to lower case, as HTTP/2 requires.
inline void LowerCase(std::string& text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

inline bool HasFlag(const nghttp2_frame* frame, uint8_t flag) {
  return (frame->hd.flags & flag) != 0;
}

}  // namespace berth::net
