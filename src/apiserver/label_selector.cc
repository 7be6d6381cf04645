// The grammar of label selector strings (declared in selectors.h).

#include <fmt/format.h>

#include <array>
#include <set>

#include "apiserver/selectors.h"

namespace berth::apiserver {
namespace {

using api::Requirement;
using api::SelectorOp;

enum class Token : uint8_t {
  kEnd,
  kWord,
  kComma,
  kOpen,
  kClose,
  kNot,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kGreater,
  kLess,
};

struct Lexeme {
  Token token = Token::kEnd;
  std::string_view text;
};

struct Symbol {
  std::string_view text;
  Token token;
};
// Longer ones first.
constexpr std::array kSymbols = {
    Symbol{"==", Token::kDoubleEquals}, Symbol{"!=", Token::kNotEquals},
    Symbol{"=", Token::kEquals},        Symbol{"!", Token::kNot},
    Symbol{",", Token::kComma},         Symbol{"(", Token::kOpen},
    Symbol{")", Token::kClose},         Symbol{">", Token::kGreater},
    Symbol{"<", Token::kLess},
};

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kEndsWord = " \t\r\n=!,()<>";

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  const Lexeme& Peek() {
    if (!peeked_) {
      next_ = Scan();
      peeked_ = true;
    }
    return next_;
  }
  Lexeme Take() {
    const Lexeme lexeme = Peek();
    peeked_ = false;
    return lexeme;
  }

 private:
  Lexeme Scan() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
    if (rest_.empty()) return {};
    for (const Symbol& symbol : kSymbols) {
      if (rest_.starts_with(symbol.text)) return Cut(symbol.token, symbol.text.size());
    }
    return Cut(Token::kWord, std::min(rest_.find_first_of(kEndsWord), rest_.size()));
  }
  Lexeme Cut(Token token, size_t size) {
    const Lexeme lexeme{token, rest_.substr(0, size)};
    rest_.remove_prefix(size);
    return lexeme;
  }

  std::string_view rest_;
  Lexeme next_;
  bool peeked_ = false;
};

std::unexpected<Error> Unexpected(const Lexeme& found, std::string_view expected) {
  return Fail(
      fmt::format("unable to parse requirement: found '{}', expected: {}", found.text, expected));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<std::vector<Requirement>> Parse() {
    std::vector<Requirement> requirements;
    if (lexer_.Peek().token == Token::kEnd) return requirements;
    while (true) {
      const Token token = lexer_.Peek().token;
      if (token != Token::kWord && token != Token::kNot) {
        return Unexpected(lexer_.Peek(), requirements.empty() ? "!, identifier, or 'end of string'"
                                                              : "identifier after ','");
      }
      auto requirement = ParseRequirement();
      if (!requirement) return std::unexpected(requirement.error());
      requirements.push_back(*std::move(requirement));
      const Lexeme separator = lexer_.Take();
      if (separator.token == Token::kEnd) return requirements;
      if (separator.token != Token::kComma) {
        return Unexpected(separator, "',' or 'end of string'");
      }
    }
  }

 private:
  Result<Requirement> ParseRequirement() {
    const bool absent = lexer_.Peek().token == Token::kNot;
    if (absent) lexer_.Take();
    const Lexeme word = lexer_.Take();
    if (word.token != Token::kWord) return Unexpected(word, "identifier");
    std::string key(word.text);
    if (absent) return Requirement::Make(std::move(key), SelectorOp::kDoesNotExist, {});
    const Token next = lexer_.Peek().token;
    if (next == Token::kEnd || next == Token::kComma) {
      return Requirement::Make(std::move(key), SelectorOp::kExists, {});
    }
    return ParseOperation(std::move(key));
  }

  Result<Requirement> ParseOperation(std::string key) {
    const Lexeme op = lexer_.Take();
    switch (op.token) {
      case Token::kEquals:
      case Token::kDoubleEquals:
        return WithValue(std::move(key), SelectorOp::kIn);
      case Token::kNotEquals:
        return WithValue(std::move(key), SelectorOp::kNotIn);
      case Token::kGreater:
        return WithValue(std::move(key), SelectorOp::kGt);
      case Token::kLess:
        return WithValue(std::move(key), SelectorOp::kLt);
      default:
        break;
    }
    if (op.token == Token::kWord && op.text == "in")
      return WithSet(std::move(key), SelectorOp::kIn);
    if (op.token == Token::kWord && op.text == "notin") {
      return WithSet(std::move(key), SelectorOp::kNotIn);
    }
    return Unexpected(op, "in, notin, =, ==, !=, >, <");
  }

  // One value, which may be missing: then it is "".
  Result<Requirement> WithValue(std::string key, SelectorOp op) {
    std::string value;
    const Token next = lexer_.Peek().token;
    if (next != Token::kEnd && next != Token::kComma) {
      const Lexeme word = lexer_.Take();
      if (word.token != Token::kWord) return Unexpected(word, "identifier");
      value = word.text;
    }
    return Requirement::Make(std::move(key), op, {std::move(value)});
  }

  // Values between parentheses; where one is missing, it is "".
  Result<Requirement> WithSet(std::string key, SelectorOp op) {
    if (const Lexeme open = lexer_.Take(); open.token != Token::kOpen) {
      return Unexpected(open, "'('");
    }
    std::set<std::string> values;
    bool want_value = true;
    while (true) {
      const Lexeme lexeme = lexer_.Take();
      if (lexeme.token == Token::kWord && want_value) {
        values.emplace(lexeme.text);
        want_value = false;
      } else if (lexeme.token == Token::kComma) {
        if (want_value) values.emplace();
        want_value = true;
      } else if (lexeme.token == Token::kClose) {
        if (want_value) values.emplace();
        break;
      } else {
        return Unexpected(lexeme, want_value ? "',', ')' or identifier" : "',' or ')'");
      }
    }
    return Requirement::Make(std::move(key), op, {values.begin(), values.end()});
  }

  Lexer lexer_;
};

}  // namespace

Result<std::vector<Requirement>> ParseLabelSelector(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace berth::apiserver
