#include "cel/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cel/value.h"

namespace berth::cel {
namespace {

bool IsIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsIdentifierPart(char c) { return IsIdentifierStart(c) || IsDigit(c); }

bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Longer operators come first.
constexpr std::pair<std::string_view, TokenKind> kOperators[] = {
    {"==", TokenKind::kEquals},
    {"!=", TokenKind::kNotEquals},
    {"<=", TokenKind::kLessEquals},
    {">=", TokenKind::kGreaterEquals},
    {"&&", TokenKind::kAnd},
    {"||", TokenKind::kOr},
    {"<", TokenKind::kLess},
    {">", TokenKind::kGreater},
    {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket},
    {"{", TokenKind::kLeftBrace},
    {"}", TokenKind::kRightBrace},
    {"(", TokenKind::kLeftParenthesis},
    {")", TokenKind::kRightParenthesis},
    {".", TokenKind::kDot},
    {",", TokenKind::kComma},
    {"-", TokenKind::kMinus},
    {"!", TokenKind::kNot},
    {"?", TokenKind::kQuestion},
    {":", TokenKind::kColon},
    {"+", TokenKind::kPlus},
    {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},
    {"%", TokenKind::kPercent},
};

class Lexer {
 public:
  Lexer(std::string_view source, Issues& issues) : source_(source), issues_(issues) {}

  // Returns false if no token starts here; an issue is added then.
  bool Next(Token& token) {
    SkipSpace();
    start_ = position_;
    token.position = static_cast<uint32_t>(start_);
    if (position_ == source_.size()) {
      token = {TokenKind::kEnd, token.position, "<EOF>"};
      return true;
    }
    const std::optional<TokenKind> kind = Scan();
    if (!kind) {
      AddError();
      return false;
    }
    token.kind = *kind;
    token.text = source_.substr(start_, position_ - start_);
    return true;
  }

 private:
  std::string_view rest() const { return source_.substr(position_); }
  char peek(size_t ahead = 0) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }

  void SkipSpace() {
    for (;;) {
      const size_t space = rest().find_first_not_of("\t \r\n\f");
      position_ = space == std::string_view::npos ? source_.size() : position_ + space;
      if (!rest().starts_with("//")) return;
      position_ = std::min(source_.find('\n', position_), source_.size());
    }
  }

  // The text of an error ends with the character that does not fit.
  void AddError() {
    const size_t bad = std::min(position_, source_.size());
    const size_t size = bad < source_.size() ? CodePointSize(source_.substr(bad)) : 0;
    issues_.Add(start_, fmt::format("Syntax error: token recognition error at: '{}'",
                                    source_.substr(start_, bad + size - start_)));
  }

  // Moves behind the token, or to the character that does not fit.
  std::optional<TokenKind> Scan() {
    if (const auto prefix = QuotePrefix()) return ScanQuoted(*prefix);
    if (IsIdentifierStart(peek())) return ScanIdentifier();
    if (IsDigit(peek()) || (peek() == '.' && IsDigit(peek(1)))) return ScanNumber();
    if (peek() == '`') return ScanEscapedIdentifier();
    for (const auto& [text, kind] : kOperators) {
      if (rest().starts_with(text)) {
        position_ += text.size();
        return kind;
      }
    }
    // What fails at & and | and = is the character after it.
    if (std::string_view("&|=").find(peek()) != std::string_view::npos) ++position_;
    return std::nullopt;
  }

  // Returns the size of the prefix (b, r, br) of the string literal here.
  std::optional<size_t> QuotePrefix() const {
    size_t size = 0;
    if (peek(size) == 'b' || peek(size) == 'B') ++size;
    if (peek(size) == 'r' || peek(size) == 'R') ++size;
    if (peek(size) != '"' && peek(size) != '\'') return std::nullopt;
    return size;
  }

  std::optional<TokenKind> ScanQuoted(size_t prefix) {
    const bool bytes = peek() == 'b' || peek() == 'B';
    const char last = prefix > 0 ? peek(prefix - 1) : '\0';
    const bool raw = last == 'r' || last == 'R';
    position_ += prefix;
    const std::string quotes(3, peek());
    const bool multiline = rest().starts_with(quotes);
    const std::string_view end = std::string_view(quotes).substr(0, multiline ? 3 : 1);
    position_ += end.size();
    while (!rest().starts_with(end)) {
      const bool newline = peek() == '\n' || peek() == '\r';
      if (position_ == source_.size() || (newline && !multiline)) return std::nullopt;
      if (peek() == '\\' && !raw) {
        if (!ScanEscape()) return std::nullopt;
      } else {
        ++position_;
      }
    }
    position_ += end.size();
    return bytes ? TokenKind::kBytes : TokenKind::kString;
  }

  bool ScanEscape() {
    const char letter = peek(1);
    size_t hex = 0;
    position_ += 2;
    switch (letter) {
      case 'x':
      case 'X':
        hex = 2;
        break;
      case 'u':
        hex = 4;
        break;
      case 'U':
        hex = 8;
        break;
      case '0':
      case '1':
      case '2':
      case '3':
        for (int i = 0; i < 2; ++i, ++position_) {
          if (peek() < '0' || peek() > '7') return false;
        }
        return true;
      default:
        if (letter != '\0' &&
            std::string_view("abfnrtv\"'\\?`").find(letter) != std::string_view::npos) {
          return true;
        }
        --position_;
        return false;
    }
    for (; hex > 0; --hex, ++position_) {
      if (!IsHex(peek())) return false;
    }
    return true;
  }

  TokenKind ScanIdentifier() {
    while (IsIdentifierPart(peek())) ++position_;
    const std::string_view text = source_.substr(start_, position_ - start_);
    if (text == "true") return TokenKind::kTrue;
    if (text == "false") return TokenKind::kFalse;
    if (text == "null") return TokenKind::kNull;
    if (text == "in") return TokenKind::kIn;
    return TokenKind::kIdentifier;
  }

  std::optional<TokenKind> ScanEscapedIdentifier() {
    ++position_;
    const auto allowed = [](char c) {
      return IsIdentifierPart(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    };
    const size_t first = position_;
    while (allowed(peek())) ++position_;
    if (peek() != '`' || position_ == first) return std::nullopt;
    ++position_;
    return TokenKind::kEscapedIdentifier;
  }

  void SkipDigits() {
    while (IsDigit(peek())) ++position_;
  }

  bool SkipExponent() {
    if (peek() != 'e' && peek() != 'E') return false;
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!IsDigit(peek(1 + sign))) return false;
    position_ += 1 + sign;
    SkipDigits();
    return true;
  }

  TokenKind ScanNumber() {
    if (rest().starts_with("0x") && IsHex(peek(2))) {
      position_ += 2;
      while (IsHex(peek())) ++position_;
      return ScanIntegerEnd();
    }
    SkipDigits();
    const bool fraction = peek() == '.' && IsDigit(peek(1));
    if (fraction) {
      ++position_;
      SkipDigits();
    }
    const bool exponent = SkipExponent();
    return fraction || exponent ? TokenKind::kDouble : ScanIntegerEnd();
  }

  TokenKind ScanIntegerEnd() {
    if (peek() != 'u' && peek() != 'U') return TokenKind::kInt;
    ++position_;
    return TokenKind::kUint;
  }

  std::string_view source_;
  Issues& issues_;
  size_t position_ = 0;
  size_t start_ = 0;
};

}  // namespace

std::optional<std::vector<Token>> Tokenize(std::string_view source, Issues& issues) {
  Lexer lexer(source, issues);
  std::vector<Token> tokens;
  do {
    if (!lexer.Next(tokens.emplace_back())) return std::nullopt;
  } while (tokens.back().kind != TokenKind::kEnd);
  return tokens;
}

}  // namespace berth::cel
