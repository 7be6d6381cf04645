#include "cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cel/lexer.h"
#include "cel/limits.h"
#include "cel/literal.h"
#include "cel/macros.h"
#include "cel/operator_tokens.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

constexpr std::string_view kReserved[] = {
    "as",        "break", "const",  "continue", "else", "false", "for",
    "function",  "if",    "import", "in",       "let",  "loop",  "package",
    "namespace", "null",  "return", "true",     "var",  "void",  "while"};

constexpr std::string_view kExpressionStart =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}";

bool StartsExpression(TokenKind kind) {
  switch (kind) {
    case TokenKind::kLeftBracket:
    case TokenKind::kLeftBrace:
    case TokenKind::kLeftParenthesis:
    case TokenKind::kDot:
    case TokenKind::kMinus:
    case TokenKind::kNot:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kNull:
    case TokenKind::kDouble:
    case TokenKind::kInt:
    case TokenKind::kUint:
    case TokenKind::kString:
    case TokenKind::kBytes:
    case TokenKind::kIdentifier:
      return true;
    default:
      return false;
  }
}

// A recursive descent. After a syntax error every function returns nullptr.
class Parser {
 public:
  Parser(Ast& ast, std::vector<Token> tokens, bool has_bind, Issues& issues)
      : ast_(ast), tokens_(std::move(tokens)), has_bind_(has_bind), issues_(issues) {}

  Expr* Parse() {
    Expr* expr = ParseExpression();
    if (expr == nullptr) return nullptr;
    if (!at(TokenKind::kEnd)) return Unexpected("<EOF>", peek(1).kind == TokenKind::kEnd);
    return expr;
  }

 private:
  // The rules of cel-go's grammar whose nesting is limited, each for itself. A rule that continues
  // to its left, such as a.b.c, nests with each step.
  enum Rule : uint8_t { kExpression, kRelation, kCalculation, kMember, kRuleCount };

  class Nesting {
   public:
    Nesting(Parser& parser, Rule rule) : parser_(parser), rule_(rule) { Deepen(); }
    ~Nesting() { parser_.nesting_[rule_] -= count_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

    void Deepen() {
      ++count_;
      if (++parser_.nesting_[rule_] > kMaxNesting) {
        parser_.Stop(fmt::format("expression recursion limit exceeded: {}", kMaxNesting));
      }
    }

   private:
    Parser& parser_;
    Rule rule_;
    int count_ = 0;
  };

  const Token& peek(size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  const Token& Take() { return tokens_[at(TokenKind::kEnd) ? next_ : next_++]; }
  bool TakeIf(TokenKind kind) {
    if (!at(kind)) return false;
    Take();
    return true;
  }

  // Adds an issue with what the parser expects here. ANTLR calls a token extraneous if the next one
  // would fit.
  Expr* Unexpected(std::string_view expected, bool next_fits) {
    return SyntaxError(fmt::format("{} input '{}' expecting {}",
                                   next_fits ? "extraneous" : "mismatched", peek().text, expected));
  }

  Expr* SyntaxError(const std::string& message) {
    if (!stopped_) issues_.Add(peek().position, "Syntax error: " + message);
    stopped_ = true;
    return nullptr;
  }

  void Stop(std::string message) {
    if (!stopped_) issues_.AddWithoutPosition(std::move(message));
    stopped_ = true;
  }

  bool Expect(TokenKind kind, std::string_view text) {
    if (stopped_) return false;
    if (TakeIf(kind)) return true;
    // What could stand behind the missing token?
    const bool is_closing = kind != TokenKind::kColon;
    if (is_closing && !StartsExpression(peek().kind) && peek(1).kind != kind) {
      SyntaxError(fmt::format("missing {} at '{}'", text, peek().text));
    } else {
      Unexpected(text, peek(1).kind == kind);
    }
    return false;
  }

  // Checks a node whose parts are complete, and returns it.
  Expr* Finish(Expr* expr, bool counts = false) {
    Ast::SetDepth(*expr, counts);
    if (expr->nesting > kMaxNesting || expr->depth > kMaxTreeDepth) {
      Stop("max recursion depth exceeded");
    }
    if (ast_.size() > kMaxNodes) Stop(fmt::format("more than {} nodes", kMaxNodes));
    return stopped_ ? nullptr : expr;
  }

  Expr* NewCall(std::string_view function, size_t position, std::vector<Expr*> args,
                bool counts = false) {
    if (stopped_ || std::ranges::find(args, nullptr) != args.end()) return nullptr;
    Expr* expr = ast_.New(ExprKind::kCall, position);
    expr->name = function;
    expr->args = std::move(args);
    return Finish(expr, counts);
  }

  // expr: or ('?' or ':' expr)?
  Expr* ParseExpression() {
    const Nesting nesting(*this, kExpression);
    if (stopped_) return nullptr;
    Expr* condition = ParseLogic(TokenKind::kOr);
    if (condition == nullptr || !at(TokenKind::kQuestion)) return condition;
    const size_t position = Take().position;
    Expr* yes = ParseLogic(TokenKind::kOr);
    if (yes == nullptr || !Expect(TokenKind::kColon, "':'")) return nullptr;
    return NewCall(operators::kConditional, position, {condition, yes, ParseExpression()}, true);
  }

  // or: and ('||' and)*, and: relation ('&&' relation)*. A chain becomes a balanced tree.
  Expr* ParseLogic(TokenKind kind) {
    const auto parse = [&] {
      return kind == TokenKind::kOr ? ParseLogic(TokenKind::kAnd) : ParseRelation();
    };
    std::vector<Expr*> terms{parse()};
    std::vector<size_t> positions;
    while (!stopped_ && at(kind)) {
      positions.push_back(Take().position);
      terms.push_back(parse());
    }
    if (stopped_ || std::ranges::find(terms, nullptr) != terms.end()) return nullptr;
    if (terms.size() == 1) return terms[0];
    const std::string_view function = kind == TokenKind::kOr ? operators::kOr : operators::kAnd;
    return Balance(function, terms, positions, 0, positions.size() - 1);
  }

  // Combines the terms of the operators `low` to `high`.
  Expr* Balance(std::string_view function, const std::vector<Expr*>& terms,
                const std::vector<size_t>& positions, size_t low, size_t high) {
    const size_t middle = (low + high + 1) / 2;
    Expr* left =
        middle == low ? terms[middle] : Balance(function, terms, positions, low, middle - 1);
    Expr* right =
        middle == high ? terms[middle + 1] : Balance(function, terms, positions, middle + 1, high);
    return NewCall(function, positions[middle], {left, right});
  }

  // relation: calc (op calc)*
  Expr* ParseRelation() {
    Nesting nesting(*this, kRelation);
    if (stopped_) return nullptr;
    Expr* left = ParseCalculation(1);
    while (left != nullptr) {
      const std::string_view function = RelationOperator(peek().kind);
      if (function.empty()) break;
      nesting.Deepen();
      const size_t position = Take().position;
      const Nesting right_nesting(*this, kRelation);
      left = NewCall(function, position, {left, ParseCalculation(1)}, true);
    }
    return left;
  }

  // calc: unary (op unary)*, with operators that bind at least as tightly as `least`.
  Expr* ParseCalculation(int least) {
    Nesting nesting(*this, kCalculation);
    if (stopped_) return nullptr;
    Expr* left = ParseUnary();
    while (left != nullptr) {
      const int precedence = CalculationPrecedence(peek().kind);
      if (precedence < least) break;
      nesting.Deepen();
      const Token& token = Take();
      left = NewCall(CalculationOperator(token.kind), token.position,
                     {left, ParseCalculation(precedence + 1)}, true);
    }
    return left;
  }

  // An even number of signs vanishes. A minus before a number belongs to it.
  Expr* ParseUnary() {
    const TokenKind sign = peek().kind;
    const bool number = peek(1).kind == TokenKind::kInt || peek(1).kind == TokenKind::kDouble;
    if ((sign != TokenKind::kNot && sign != TokenKind::kMinus) ||
        (sign == TokenKind::kMinus && number)) {
      return ParseMember();
    }
    const size_t position = peek().position;
    bool odd = false;
    while (TakeIf(sign)) odd = !odd;
    Expr* operand = ParseMember();
    if (!odd || operand == nullptr) return operand;
    return NewCall(sign == TokenKind::kNot ? operators::kNot : operators::kNegate, position,
                   {operand});
  }

  // member: primary ('.' '?'? name | '.' name '(' args ')' | '[' '?'? expr ']')*
  Expr* ParseMember() {
    Nesting nesting(*this, kMember);
    if (stopped_) return nullptr;
    Expr* expr = ParsePrimary();
    while (expr != nullptr && (at(TokenKind::kDot) || at(TokenKind::kLeftBracket))) {
      nesting.Deepen();
      if (stopped_) return nullptr;
      expr = at(TokenKind::kDot) ? ParseSelection(expr) : ParseIndex(expr);
    }
    return expr;
  }

  Expr* ParseSelection(Expr* operand) {
    const size_t position = Take().position;
    const bool optional = TakeIf(TokenKind::kQuestion);
    if (at(TokenKind::kEscapedIdentifier)) {
      issues_.Add(peek().position, "unsupported syntax: '`'");
      stopped_ = true;
      return nullptr;
    }
    if (!at(TokenKind::kIdentifier)) return FieldError();
    const Token& name = Take();
    if (!optional && at(TokenKind::kLeftParenthesis)) return ParseMemberCall(operand, name.text);
    if (optional) {
      Expr* field = ast_.New(ExprKind::kLiteral, name.position);
      field->literal = Value::String(name.text);
      return NewCall(operators::kOptionalSelect, position, {operand, field}, true);
    }
    Expr* select = ast_.New(ExprKind::kSelect, position);
    select->target = operand;
    select->name = name.text;
    return Finish(select, true);
  }

  Expr* FieldError() {
    if (at(TokenKind::kIn)) {
      return SyntaxError("no viable alternative at input '.in'");
    }
    return SyntaxError(fmt::format("mismatched input '{}' expecting IDENTIFIER", peek().text));
  }

  Expr* ParseMemberCall(Expr* target, std::string_view name) {
    const size_t position = peek().position;
    std::vector<Expr*> args;
    if (!ParseArguments(args)) return nullptr;
    if (const auto expanded =
            ExpandMacro({ast_, issues_, position, name, target, args, has_bind_})) {
      return Finish(*expanded, true);
    }
    Expr* call = ast_.New(ExprKind::kCall, position);
    call->name = name;
    call->is_member_call = true;
    call->target = target;
    call->args = std::move(args);
    return Finish(call, true);
  }

  Expr* ParseIndex(Expr* operand) {
    const size_t position = Take().position;
    const bool optional = TakeIf(TokenKind::kQuestion);
    Expr* index = ParseExpression();
    if (!Expect(TokenKind::kRightBracket, "']'")) return nullptr;
    return NewCall(optional ? operators::kOptionalIndex : operators::kIndex, position,
                   {operand, index}, true);
  }

  // Parses "(a, b)". Returns false after a syntax error.
  bool ParseArguments(std::vector<Expr*>& args) {
    Take();
    if (TakeIf(TokenKind::kRightParenthesis)) return true;
    do {
      args.push_back(ParseExpression());
    } while (!stopped_ && TakeIf(TokenKind::kComma));
    return Expect(TokenKind::kRightParenthesis, "')'");
  }

  Expr* ParsePrimary() {
    switch (peek().kind) {
      case TokenKind::kLeftParenthesis: {
        Take();
        Expr* expr = ParseExpression();
        return Expect(TokenKind::kRightParenthesis, "')'") ? expr : nullptr;
      }
      case TokenKind::kLeftBracket:
        return ParseList();
      case TokenKind::kLeftBrace:
        return ParseMap();
      case TokenKind::kDot:
        if (peek(1).kind == TokenKind::kIdentifier) return ParseName();
        Take();
        return FieldError();
      case TokenKind::kIdentifier:
        return ParseName();
      case TokenKind::kMinus:
        if (peek(1).kind == TokenKind::kInt || peek(1).kind == TokenKind::kDouble) {
          return ParseLiteral();
        }
        return Unexpected(kExpressionStart, false);
      default:
        if (StartsExpression(peek().kind) && !at(TokenKind::kNot)) return ParseLiteral();
        return Unexpected(kExpressionStart, StartsExpression(peek(1).kind));
    }
  }

  // '.'? name, '.'? name '(' args ')', or the literal of a message: '.'? a.b.Name '{' ... '}'
  Expr* ParseName() {
    const bool absolute = at(TokenKind::kDot);
    if (IsMessage(absolute ? 1 : 0)) return ParseMessage();
    if (absolute) Take();
    const Token& token = Take();
    if (std::ranges::find(kReserved, token.text) != std::end(kReserved)) {
      issues_.Add(token.position, fmt::format("reserved identifier: {}", token.text));
    }
    const std::string_view name =
        absolute ? ast_.arena().Copy('.' + std::string(token.text)) : token.text;
    if (!at(TokenKind::kLeftParenthesis)) {
      Expr* ident = ast_.New(ExprKind::kIdent, token.position);
      ident->name = name;
      return Finish(ident);
    }
    const size_t position = peek().position;
    std::vector<Expr*> args;
    if (!ParseArguments(args)) return nullptr;
    if (const auto expanded =
            ExpandMacro({ast_, issues_, position, name, nullptr, args, has_bind_})) {
      return Finish(*expanded);
    }
    return NewCall(name, position, std::move(args));
  }

  bool IsMessage(size_t ahead) const {
    while (peek(ahead).kind == TokenKind::kIdentifier && peek(ahead + 1).kind == TokenKind::kDot &&
           peek(ahead + 2).kind == TokenKind::kIdentifier) {
      ahead += 2;
    }
    return peek(ahead).kind == TokenKind::kIdentifier &&
           peek(ahead + 1).kind == TokenKind::kLeftBrace;
  }

  // DIFFERS: there are no message types, so that every such literal is an error. cel-go also has
  // those of protobuf's standard library, google.protobuf.Int64Value and others.
  Expr* ParseMessage() {
    std::string name;
    while (!at(TokenKind::kLeftBrace)) name += Take().text;
    issues_.Add(peek().position,
                fmt::format("undeclared reference to '{}' (in container '')", name));
    stopped_ = true;
    return nullptr;
  }

  Expr* ParseList() {
    Expr* list = ast_.New(ExprKind::kList, Take().position);
    while (!stopped_ && !at(TokenKind::kRightBracket) && !at(TokenKind::kComma)) {
      list->optional.push_back(TakeIf(TokenKind::kQuestion));
      list->args.push_back(ParseExpression());
      if (peek(1).kind == TokenKind::kRightBracket || !TakeIf(TokenKind::kComma)) break;
    }
    TakeIf(TokenKind::kComma);
    return Expect(TokenKind::kRightBracket, "']'") ? Finish(list) : nullptr;
  }

  Expr* ParseMap() {
    Expr* map = ast_.New(ExprKind::kMap, Take().position);
    while (!stopped_ && !at(TokenKind::kRightBrace) && !at(TokenKind::kComma)) {
      map->optional.push_back(TakeIf(TokenKind::kQuestion));
      map->args.push_back(ParseExpression());
      if (!Expect(TokenKind::kColon, "':'")) return nullptr;
      map->args.push_back(ParseExpression());
      if (peek(1).kind == TokenKind::kRightBrace || !TakeIf(TokenKind::kComma)) break;
    }
    TakeIf(TokenKind::kComma);
    return Expect(TokenKind::kRightBrace, "'}'") ? Finish(map) : nullptr;
  }

  Expr* ParseLiteral() {
    Expr* literal = ast_.New(ExprKind::kLiteral, peek().position);
    const bool negative = TakeIf(TokenKind::kMinus);
    const auto value = LiteralValue(Take(), negative, ast_.arena());
    if (value) {
      literal->literal = *value;
    } else {
      issues_.Add(literal->position, value.error().message);
    }
    return Finish(literal);
  }

  Ast& ast_;
  std::vector<Token> tokens_;
  bool has_bind_;
  Issues& issues_;
  size_t next_ = 0;
  std::array<int, kRuleCount> nesting_{};
  bool stopped_ = false;
};

}  // namespace

void Parse(Ast& ast, bool has_bind, Issues& issues) {
  const size_t size = CountCodePoints(ast.source());
  if (size > kMaxCodePoints) {
    issues.AddWithoutPosition(fmt::format(
        "expression code point size exceeds limit: size: {}, limit {}", size, kMaxCodePoints));
    return;
  }
  auto tokens = Tokenize(ast.source(), issues);
  if (!tokens) return;
  ast.set_root(Parser(ast, std::move(*tokens), has_bind, issues).Parse());
}

}  // namespace berth::cel
