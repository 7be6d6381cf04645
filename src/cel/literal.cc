#include "cel/literal.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "cel/numbers.h"

namespace berth::cel {
namespace {

void AppendUtf8(std::string& text, uint32_t code) {
  const auto append = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0 | code >> 6);
    append(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    append(0xE0 | code >> 12);
    append(0x80 | (code >> 6 & 0x3F));
    append(0x80 | (code & 0x3F));
  } else {
    append(0xF0 | code >> 18);
    append(0x80 | (code >> 12 & 0x3F));
    append(0x80 | (code >> 6 & 0x3F));
    append(0x80 | (code & 0x3F));
  }
}

uint32_t ParseDigits(std::string_view digits, uint32_t base) {
  uint32_t number = 0;
  for (const char c : digits) {
    const int digit = IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    number = number * base + static_cast<uint32_t>(digit);
  }
  return number;
}

// Decodes the escape at the front of `text`, which the lexer has checked.
Status Unescape(std::string_view& text, bool is_bytes, std::string& into) {
  const char letter = text[1];
  text.remove_prefix(2);
  size_t digits = 0;
  uint32_t base = 16;
  switch (letter) {
    case 'x':
    case 'X':
      digits = 2;
      break;
    case 'u':
      digits = 4;
      break;
    case 'U':
      digits = 8;
      break;
    case '0':
    case '1':
    case '2':
    case '3':
      digits = 3;
      base = 8;
      // The first digit is the letter.
      text = {text.data() - 1, text.size() + 1};
      break;
    default: {
      constexpr std::string_view kLetters = "abfnrtv";
      constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
      const size_t index = kLetters.find(letter);
      into += index == std::string_view::npos ? letter : kValues[index];
      return {};
    }
  }
  const uint32_t code = ParseDigits(text.substr(0, digits), base);
  text.remove_prefix(digits);
  if (is_bytes) {
    if (digits > 3) return Fail("unable to unescape string");
    into += static_cast<char>(code);
    return {};
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return Fail("invalid unicode code point");
  }
  AppendUtf8(into, code);
  return {};
}

std::string NormalizeNewlines(std::string_view text) {
  std::string normal;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      normal += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else {
      normal += text[i];
    }
  }
  return normal;
}

// Removes the quotes of a literal without its prefix b, and decodes escapes.
Result<std::string> Unquote(std::string_view literal, bool is_bytes) {
  const bool raw = literal[0] == 'r' || literal[0] == 'R';
  if (raw) literal.remove_prefix(1);
  const bool multiline =
      literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0];
  const size_t quotes = multiline ? 3 : 1;
  std::string content = NormalizeNewlines(literal.substr(quotes, literal.size() - 2 * quotes));
  if (raw) return content;
  std::string value;
  for (std::string_view rest = content; !rest.empty();) {
    if (rest[0] == '\\') {
      if (Status status = Unescape(rest, is_bytes, value); !status) {
        return std::unexpected(status.error());
      }
    } else {
      value += rest[0];
      rest.remove_prefix(1);
    }
  }
  return value;
}

Result<Value> IntegerValue(const Token& token, bool negative) {
  const bool is_unsigned = token.kind == TokenKind::kUint;
  std::string_view digits = token.text;
  if (is_unsigned) digits.remove_suffix(1);
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
  const uint64_t limit = is_unsigned ? UINT64_MAX : uint64_t{INT64_MAX} + (negative ? 1 : 0);
  if (error != std::errc() || number > limit) {
    return Fail(is_unsigned ? "invalid uint literal" : "invalid int literal");
  }
  if (is_unsigned) return Value::Uint(number);
  return Value::Int(static_cast<int64_t>(negative ? 0 - number : number));
}

Result<Value> DoubleValue(const Token& token, bool negative) {
  const auto number = ParseDouble(token.text);
  if (!number) return Fail("invalid double literal");
  return Value::Double(negative ? -*number : *number);
}

Result<Value> TextValue(const Token& token, Arena& arena) {
  const bool is_bytes = token.kind == TokenKind::kBytes;
  const auto text = Unquote(token.text.substr(is_bytes ? 1 : 0), is_bytes);
  if (!text) return std::unexpected(text.error());
  const std::string_view copy = arena.Copy(*text);
  return is_bytes ? Value::Bytes(copy) : Value::String(copy);
}

}  // namespace

Result<Value> LiteralValue(const Token& token, bool negative, Arena& arena) {
  switch (token.kind) {
    case TokenKind::kTrue:
    case TokenKind::kFalse:
      return Value::Bool(token.kind == TokenKind::kTrue);
    case TokenKind::kNull:
      return Value();
    case TokenKind::kInt:
    case TokenKind::kUint:
      return IntegerValue(token, negative);
    case TokenKind::kDouble:
      return DoubleValue(token, negative);
    default:
      return TextValue(token, arena);
  }
}

}  // namespace berth::cel
