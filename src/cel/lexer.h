// The tokens of an expression.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/issues.h"

namespace berth::cel {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kEscapedIdentifier,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
  kEquals,
  kNotEquals,
  kLess,
  kLessEquals,
  kGreater,
  kGreaterEquals,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParenthesis,
  kRightParenthesis,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t position = 0;  // In bytes.
  std::string_view text;
};

// Returns all tokens, the last of which is kEnd, or nullopt after adding an issue. The tokens refer
// to `source`.
std::optional<std::vector<Token>> Tokenize(std::string_view source, Issues& issues);

}  // namespace berth::cel
