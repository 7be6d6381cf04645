#include "base/base64.h"

#include <cstdint>

namespace berth {
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

// Decodes digits of `alphabet`; drops the bits of an incomplete last byte.
std::optional<std::string> Decode(std::string_view digits, std::string_view alphabet) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : digits) {
    const size_t digit = alphabet.find(c);
    if (digit == alphabet.npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xff);
    }
  }
  return out;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out = Encode(bytes, kStandard);
  out.resize((out.size() + 3) / 4 * 4, '=');
  return out;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\r' && c != '\n') digits += c;
  }
  if (digits.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && digits.ends_with('='); ++padding) digits.pop_back();
  return Decode(digits, kStandard);
}

std::string EncodeBase64Url(std::string_view bytes) { return Encode(bytes, kUrl); }

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  auto out = Decode(text, kUrl);
  // The unused bits of the last digit must be zero, and every digit must contribute to a byte.
  if (out && EncodeBase64Url(*out) != text) return std::nullopt;
  return out;
}

}  // namespace berth
