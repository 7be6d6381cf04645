// Between nghttp2's C types and ours. For .cc files only.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::net {

// As HTTP/2 counts a header, besides its name and value.
constexpr size_t kHttp2HeaderOverhead = 32;
// What comes before the bytes of a frame.
constexpr size_t kHttp2FrameHead = 9;

inline std::string_view TextOf(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// A header to be sent. nghttp2 copies both.
inline nghttp2_nv Http2Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// HTTP/2 has headers in lower case only.
inline void LowerCase(std::string& text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

inline bool HasFlag(const nghttp2_frame* frame, uint8_t flag) {
  return (frame->hd.flags & flag) != 0;
}

}  // namespace berth::net
