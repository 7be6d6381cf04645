#include "kinds/base64.h"

#include <cstdint>

namespace berth::apiserver {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string Encode(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6;) {
      count -= 6;
      out += alphabet[bits >> count & 63];
    }
  }
  if (count > 0) out += alphabet[bits << (6 - count) & 63];
  return out;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out = Encode(bytes, kStandard);
  out.resize((out.size() + 3) / 4 * 4, '=');
  return out;
}

std::string EncodeBase64Url(std::string_view bytes) { return Encode(bytes, kUrl); }

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kUrl.find(c);
    if (digit == kUrl.npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xff);
    }
  }
  if (EncodeBase64Url(out) != text) return std::nullopt;
  return out;
}

}  // namespace berth::apiserver
