#include "base/terminal.h"

#include <array>
#include <cstdint>

namespace berth {
namespace {

// A character of UTF-8 at the beginning of a text; its size is 0 if there is none.
struct Character {
  uint32_t code = 0;
  size_t size = 0;
};

Character FirstOf(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  uint32_t code = first & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<uint32_t, 5> kLowest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLowest[size] || code > 0x10FFFF || is_surrogate) return {};
  return {code, size};
}

// Control characters, and those that end a line or turn the direction of text.
bool IsHidden(uint32_t code) {
  if (code < 0x20) return code != '\n' && code != '\t';
  return (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string Visible(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const auto [code, size] = FirstOf(text);
    if (size == 0) {
      visible += fmt::format("\\x{:02x}", static_cast<uint8_t>(text[0]));
    } else if (!IsHidden(code)) {
      visible += text.substr(0, size);
    } else {
      visible += code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return visible;
}

void PrintText(std::FILE* file, std::string_view text) {
  const std::string visible = Visible(text);
  std::fwrite(visible.data(), 1, visible.size(), file);
}

void ReplaceLine(std::FILE* terminal, std::string_view text) {
  std::fputs("\r\x1b[K", terminal);
  PrintText(terminal, text);
  std::fflush(terminal);
}

}  // namespace berth
