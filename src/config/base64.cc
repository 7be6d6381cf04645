#include "config/base64.h"

#include <algorithm>
#include <cstdint>

namespace berth::config {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  size_t digits = 0;
  size_t padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    // Every digit but the first of four completes a byte.
    const size_t place = digits++ % 4;
    if (place > 0) bytes += static_cast<char>(bits >> (2 * (3 - place)) & 0xff);
  }
  if (padding > 2 || (digits + padding) % 4 != 0) return std::nullopt;
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    const size_t digits = std::min<size_t>(bytes.size() - i, 3) + 1;
    for (size_t j = 0; j < 4; ++j) {
      text += j < digits ? kDigits[bits >> (18 - 6 * j) & 0x3f] : '=';
    }
  }
  return text;
}

}  // namespace berth::config
