#include "cel/validators.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cel/arena.h"
#include "cel/evaluation.h"
#include "cel/format_string.h"
#include "cel/limits.h"
#include "cel/regex.h"

namespace berth::cel {
namespace {

class Validator {
 public:
  explicit Validator(Issues& issues) : issues_(issues) {}

  // `mixed` if a list of mixed types is allowed here: below a call of format.
  void Visit(const Expr& expr, bool mixed) {
    if (expr.kind == ExprKind::kCall) {
      CheckConversion(expr);
      CheckPattern(expr);
      CheckFormat(expr);
      mixed |= expr.name == "format";
    } else if (expr.kind == ExprKind::kList && !mixed) {
      CheckElements(expr);
    } else if (expr.kind == ExprKind::kMap && !mixed) {
      CheckEntries(expr);
    }
    ForEachPart(expr, [&](const Expr& part) { Visit(part, mixed); });
  }

 private:
  // duration("1x")
  void CheckConversion(const Expr& call) {
    if ((call.name != "duration" && call.name != "timestamp") || call.args.empty() ||
        call.args[0]->kind != ExprKind::kLiteral) {
      return;
    }
    Arena arena;
    Evaluation evaluation(arena, kMaxSelectorCost, {}, 0);
    const Overload* overload = call.overloads.size() == 1 ? call.overloads[0] : nullptr;
    const Value arg = call.args[0]->literal;
    if (Dispatch(*call.function, overload, {evaluation, {&arg, 1}}).is_error()) {
      issues_.Add(call.args[0]->position, fmt::format("invalid {} argument", call.name));
    }
  }

  // x.matches("[") and, since cel-go looks at the first argument there too, matches("[", x).
  void CheckPattern(const Expr& call) {
    if (call.name != "matches" || call.args.empty()) return;
    const Expr& pattern = *call.args[0];
    if (pattern.kind != ExprKind::kLiteral || !pattern.literal.is(Kind::kString)) return;
    if (!CompileRegex(pattern.literal.text())) {
      issues_.Add(pattern.position, "invalid matches argument");
    }
  }

  static const Type* Unwrap(const Type* type, bool optional) {
    return optional && type->is_optional() ? type->parameter[0] : type;
  }

  void Mismatch(const Expr& expr, const Type* expected, const Type* actual) {
    issues_.Add(expr.position, fmt::format("expected type '{}' but found '{}'",
                                           FormatType(*expected), FormatType(*actual)));
  }

  void CheckElements(const Expr& list) {
    const Type* expected = nullptr;
    for (size_t i = 0; i < list.args.size(); ++i) {
      const Type* type = Unwrap(list.args[i]->type, list.optional[i]);
      if (expected == nullptr) expected = type;
      if (type == expected) continue;
      Mismatch(*list.args[i], expected, type);
      return;
    }
  }

  void CheckEntries(const Expr& map) {
    const Type* expected_key = nullptr;
    const Type* expected_value = nullptr;
    for (size_t i = 0; i < map.args.size(); i += 2) {
      const Expr& key = *map.args[i];
      const Expr& value = *map.args[i + 1];
      const Type* value_type = Unwrap(value.type, map.optional[i / 2]);
      if (expected_key == nullptr) {
        expected_key = key.type;
        expected_value = value_type;
      }
      if (key.type != expected_key) Mismatch(key, expected_key, key.type);
      if (value_type != expected_value) Mismatch(value, expected_value, value_type);
    }
  }

  void CheckFormat(const Expr& call) {
    if (call.name != "format" || !call.is_member_call || call.args.size() != 1) return;
    const Expr& format = *call.target;
    const Expr& list = *call.args[0];
    if (format.kind != ExprKind::kLiteral || !format.literal.is(Kind::kString) ||
        list.kind != ExprKind::kList) {
      return;
    }
    FormatReader reader(format.literal.text());
    size_t next = 0;
    while (!reader.done()) {
      if (!reader.TakeText().empty()) continue;
      if (next >= list.args.size()) {
        issues_.Add(call.position, fmt::format("index {} out of range", next));
        return;
      }
      const auto clause = reader.TakeClause();
      if (!clause) {
        issues_.Add(call.position, clause.error().message);
        return;
      }
      if (!CheckClause(clause->verb, *list.args[next++])) return;
    }
    if (next < list.args.size()) {
      issues_.Add(call.position,
                  fmt::format("too many arguments supplied to string.format (expected {}, got {})",
                              next, list.args.size()));
    }
  }

  static bool IsOneOf(const Type& type, std::initializer_list<TypeKind> kinds) {
    return type.kind == TypeKind::kDyn || std::ranges::find(kinds, type.kind) != kinds.end();
  }

  // Returns the part of a value that %s cannot print.
  static const Expr* FindUnprintable(const Expr& expr) {
    using enum TypeKind;
    if (!IsOneOf(*expr.type, {kList, kMap, kInt, kUint, kDouble, kBool, kString, kTimestamp, kBytes,
                              kDuration, kType, kNull})) {
      return &expr;
    }
    if (expr.kind != ExprKind::kList && expr.kind != ExprKind::kMap) return nullptr;
    for (const Expr* part : expr.args) {
      if (const Expr* found = FindUnprintable(*part)) return found;
    }
    return nullptr;
  }

  bool CheckClause(char verb, const Expr& arg) {
    using enum TypeKind;
    const Expr* wrong = nullptr;
    std::string_view message;
    const auto require = [&](std::initializer_list<TypeKind> kinds, std::string_view text) {
      if (!IsOneOf(*arg.type, kinds)) wrong = &arg;
      message = text;
    };
    switch (verb) {
      case 's':
        wrong = FindUnprintable(arg);
        message =
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
            "types, durations, and timestamps";
        break;
      case 'd':
        require({kInt, kUint}, "decimal clause can only be used on integers");
        break;
      case 'f':
        require({kDouble, kString}, "fixed-point clause can only be used on doubles");
        break;
      case 'e':
        require({kDouble, kString}, "scientific clause can only be used on doubles");
        break;
      case 'b':
        require({kInt, kUint, kBool}, "only integers and bools can be formatted as binary");
        break;
      case 'o':
        require({kInt, kUint}, "octal clause can only be used on integers");
        break;
      default:
        require({kInt, kUint, kString, kBytes},
                "only integers, byte buffers, and strings can be formatted as hex");
    }
    if (wrong == nullptr) return true;
    issues_.Add(wrong->position, fmt::format("error during formatting: {}, was given {}", message,
                                             wrong->type->name));
    return false;
  }

  Issues& issues_;
};

}  // namespace

void Validate(const Ast& ast, Issues& issues) { Validator(issues).Visit(*ast.root(), false); }

}  // namespace berth::cel
