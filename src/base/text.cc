#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace berth {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t size = 0;
};

// Returns the first code point of the nonempty `text`, or nullopt if it is not well-formed UTF-8.
std::optional<CodePoint> FirstCodePoint(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return CodePoint{lead, 1};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return std::nullopt;
  uint32_t value = lead & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  if (value < kSmallest[size] || value > 0x10FFFF || is_surrogate) return std::nullopt;
  return CodePoint{value, size};
}

// Approximates Go's strconv.IsPrint: rejects controls, spaces other than ' ', and invisible marks.
bool IsPrintable(uint32_t value) {
  if (value < 0x20 || (value >= 0x7F && value <= 0xA0)) return false;
  if (value == 0xAD || value == 0xFEFF || value == 0x3000) return false;
  return !(value >= 0x2000 && value <= 0x200F) && !(value >= 0x2028 && value <= 0x202F) &&
         !(value >= 0x205F && value <= 0x206F) && !(value >= 0xE000 && value <= 0xF8FF);
}

char ShortEscape(uint32_t value) {
  switch (value) {
    case '\a':
      return 'a';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\v':
      return 'v';
    default:
      return 0;
  }
}

void AppendEscaped(std::string& out, uint32_t value) {
  if (const char letter = ShortEscape(value)) {
    out += '\\';
    out += letter;
  } else if (value < 0x80) {
    out += fmt::format("\\x{:02x}", value);
  } else {
    out += value < 0x10000 ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
  }
}

void AppendGoEscaped(std::string& out, std::string_view text, bool escape_quotes) {
  while (!text.empty()) {
    const auto point = FirstCodePoint(text);
    if (!point) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (escape_quotes && (point->value == '"' || point->value == '\\')) out += '\\';
    if (IsPrintable(point->value)) {
      out += text.substr(0, point->size);
    } else {
      AppendEscaped(out, point->value);
    }
    text.remove_prefix(point->size);
  }
}

}  // namespace

std::string_view Trim(std::string_view text, std::string_view space) {
  const size_t begin = text.find_first_not_of(space);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

std::string Shorten(std::string_view text, size_t limit) {
  std::string out(text.substr(0, limit));
  if (text.size() > limit) {
    while (!out.empty() && (static_cast<unsigned char>(text[out.size()]) & 0xc0) == 0x80)
      out.pop_back();
    out += "...";
  }
  std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return out;
}

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  AppendGoEscaped(out, text, true);
  out += '"';
  return out;
}

std::string GoEscape(std::string_view text) {
  std::string out;
  AppendGoEscaped(out, text, false);
  return out;
}

std::string GoQuote(std::span<const std::string> texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ' ';
    out += GoQuote(std::string_view(text));
  }
  return out + "]";
}

}  // namespace berth
