#include "cel/checker.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/limits.h"
#include "cel/operators.h"
#include "cel/unification.h"

namespace berth::cel {
namespace {

class Checker {
 public:
  Checker(Ast& ast, const Environment& environment, TypePool& types, Issues& issues)
      : ast_(ast), environment_(environment), types_(types), issues_(issues), unification_(types) {}

  void Run() {
    CheckExpr(*ast_.root());
    Finalize(*ast_.root());
    if (unification_.exhausted()) {
      issues_.AddWithoutPosition("the types of the expression are too complex");
    }
  }

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  void CheckExpr(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        expr.type = &expr.literal.type();
        return;
      case ExprKind::kIdent:
        return CheckIdent(expr);
      case ExprKind::kSelect:
        return CheckSelect(expr);
      case ExprKind::kCall:
        return CheckCall(expr);
      case ExprKind::kList:
        return CheckList(expr);
      case ExprKind::kMap:
        return CheckMap(expr);
      case ExprKind::kLoop:
        return CheckLoop(expr);
    }
  }

  const Local* FindLocal(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return &*local;
    }
    return nullptr;
  }

  // Resolves a name of the environment. Returns false if it has none such.
  bool Resolve(Expr& expr, std::string_view name) {
    if (const auto* variable = environment_.FindVariable(name)) {
      expr.variable = variable;
      expr.type = variable->type;
      return true;
    }
    if (const Type* type = environment_.FindTypeName(name)) {
      expr.type_name = type;
      expr.type = types_.TypeOf(type);
      return true;
    }
    return false;
  }

  void Undeclared(Expr& expr, size_t position, std::string_view name) {
    issues_.Add(position, fmt::format("undeclared reference to '{}' (in container '')", name));
    expr.type = &kErrorType;
  }

  void CheckIdent(Expr& expr) {
    // A leading dot skips local variables.
    if (expr.name.starts_with('.')) {
      expr.name.remove_prefix(1);
      if (!Resolve(expr, expr.name)) Undeclared(expr, expr.position, expr.name);
      return;
    }
    if (const Local* local = FindLocal(expr.name)) {
      expr.type = local->type;
    } else if (!Resolve(expr, expr.name)) {
      Undeclared(expr, expr.position, expr.name);
    }
  }

  // Returns a.b.c if the expression is that and `a` is no local variable.
  std::optional<std::string> QualifiedName(const Expr& expr) const {
    if (expr.kind == ExprKind::kIdent) {
      const std::string_view name = expr.name;
      if (name.starts_with('.')) return std::string(name.substr(1));
      if (FindLocal(name) != nullptr) return std::nullopt;
      return std::string(name);
    }
    if (expr.kind != ExprKind::kSelect || expr.is_test) return std::nullopt;
    auto prefix = QualifiedName(*expr.target);
    if (prefix) prefix->append(".").append(expr.name);
    return prefix;
  }

  void CheckSelect(Expr& expr) {
    if (!expr.is_test) {
      const auto name = QualifiedName(expr);
      if (name && Resolve(expr, *name)) {
        expr.kind = ExprKind::kIdent;
        expr.name = ast_.arena().Copy(*name);
        expr.target = nullptr;
        return;
      }
    }
    const Type* type = FieldType(expr, *expr.target, expr.name, false);
    expr.type = expr.is_test ? &kBoolType : unification_.Substitute(type, false);
  }

  // The type of `operand`.`field`, which `expr` stands for.
  const Type* FieldType(Expr& expr, Expr& operand, std::string_view field, bool optional) {
    CheckExpr(operand);
    const Type* type = unification_.Substitute(operand.type, false);
    const bool was_optional = type->is_optional();
    if (was_optional) type = type->parameter[0];
    const Type* result = &kErrorType;
    switch (type->kind) {
      case TypeKind::kMap:
        result = type->parameter[1];
        break;
      case TypeKind::kObject:
        if (const auto* declared = environment_.FindField(*type, field)) {
          result = declared->type;
          if (declared->key != field) expr.key = declared->key;
        } else {
          issues_.Add(expr.position, fmt::format("undefined field '{}'", field));
        }
        break;
      case TypeKind::kParameter:
        unification_.IsAssignable(&kDynType, type);
        result = &kDynType;
        break;
      default:
        if (!type->is_dynamic() && type->kind != TypeKind::kError) {
          issues_.Add(expr.position,
                      fmt::format("type '{}' does not support field selection", FormatType(*type)));
        }
        result = &kDynType;
    }
    return optional || was_optional ? types_.Optional(result) : result;
  }

  void CheckCall(Expr& call) {
    if (call.name == operators::kOptionalSelect) return CheckOptionalSelect(call);
    for (Expr* arg : call.args) CheckExpr(*arg);
    if (!call.is_member_call) {
      if (call.name.starts_with('.')) call.name.remove_prefix(1);
      call.function = environment_.FindFunction(call.name);
      if (call.function == nullptr) return Undeclared(call, call.position, call.name);
      return ResolveOverloads(call);
    }
    // a.b.f(x) is either the function a.b.f, or f with the receiver a.b.
    if (auto name = QualifiedName(*call.target)) {
      name->append(".").append(call.name);
      if (const Function* function = environment_.FindFunction(*name)) {
        call.function = function;
        call.name = function->name();
        call.is_member_call = false;
        call.target = nullptr;
        return ResolveOverloads(call);
      }
    }
    CheckExpr(*call.target);
    call.function = environment_.FindFunction(call.name);
    if (call.function == nullptr) return Undeclared(call, call.position, call.name);
    ResolveOverloads(call);
  }

  void CheckOptionalSelect(Expr& call) {
    Expr& field = *call.args[1];
    field.type = &kStringType;
    call.function = environment_.FindFunction(call.name);
    call.overloads = {&call.function->overloads()[0]};
    const Type* type = FieldType(call, *call.args[0], field.literal.text(), true);
    call.type = unification_.Substitute(type, false);
  }

  void ResolveOverloads(Expr& call) {
    std::vector<const Type*> args;
    if (call.target != nullptr) args.push_back(call.target->type);
    for (const Expr* arg : call.args) args.push_back(arg->type);
    if (call.name == operators::kAnd || call.name == operators::kOr) return CheckLogic(call);
    call.type = nullptr;
    for (const Overload& overload : call.function->overloads()) {
      if (overload.member == call.is_member_call) TryOverload(call, overload, args);
    }
    if (call.type != nullptr) return;
    call.type = &kErrorType;
    issues_.Add(call.position, fmt::format("found no matching overload for '{}' applied to '{}'",
                                           call.name, FormatArguments(call, args)));
  }

  // Adds the overload to the call's if the arguments fit.
  void TryOverload(Expr& call, const Overload& overload, std::span<const Type* const> args) {
    if (overload.parameters.size() != args.size()) return;
    const Type* const a = unification_.NewParameter();
    const Type* const b = unification_.NewParameter();
    std::vector<const Type*> parameters;
    for (const Type* parameter : overload.parameters) {
      parameters.push_back(unification_.Instantiate(parameter, a, b));
    }
    if (!unification_.AreAssignable(args, parameters)) return;
    call.overloads.push_back(&overload);
    const Type* result =
        unification_.Substitute(unification_.Instantiate(overload.result, a, b), false);
    if (call.type == nullptr) {
      call.type = result;
    } else if (!call.type->is_dynamic() && result != call.type) {
      call.type = &kDynType;
    }
  }

  void CheckLogic(Expr& call) {
    call.overloads = {&call.function->overloads()[0]};
    call.type = &kBoolType;
    for (const Expr* arg : call.args) {
      if (unification_.IsAssignable(arg->type, &kBoolType)) continue;
      Mismatch(*arg, &kBoolType, arg->type);
      call.type = &kErrorType;
    }
  }

  void Mismatch(const Expr& expr, const Type* expected, const Type* actual) {
    issues_.Add(expr.position, fmt::format("expected type '{}' but found '{}'",
                                           FormatType(*unification_.Substitute(expected, true)),
                                           FormatType(*unification_.Substitute(actual, true))));
  }

  std::string FormatArguments(const Expr& call, std::span<const Type* const> args) {
    std::string text;
    const auto format = [&](const Type* type) {
      return FormatType(*unification_.Substitute(type, true));
    };
    if (call.is_member_call) {
      text = format(args[0]) + '.';
      args = args.subspan(1);
    }
    text += '(';
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0) text += ", ";
      text += format(args[i]);
    }
    return text + ')';
  }

  // The type of elements of both types; elements that do not agree are dynamic, which a validator
  // refuses.
  const Type* Join(const Type* previous, const Type* current) {
    if (previous == nullptr) return current;
    if (!unification_.IsAssignable(previous, current)) return &kDynType;
    return unification_.MostGeneral(previous, current);
  }

  // The type of an element that is marked as optional with "?".
  const Type* UnwrapOptional(const Expr& element) {
    if (element.type->is_optional()) return element.type->parameter[0];
    if (!element.type->is_dynamic()) Mismatch(element, types_.Optional(element.type), element.type);
    return element.type;
  }

  const Type* Limited(const Type* type) {
    if (type->nodes <= kMaxTypeNodes) return type;
    issues_.AddWithoutPosition("the types of the expression are too complex");
    return &kErrorType;
  }

  void CheckList(Expr& list) {
    const Type* elements = nullptr;
    for (size_t i = 0; i < list.args.size(); ++i) {
      Expr& element = *list.args[i];
      CheckExpr(element);
      elements = Join(elements, list.optional[i] ? UnwrapOptional(element) : element.type);
    }
    if (elements == nullptr) elements = unification_.NewParameter();
    list.type = Limited(types_.List(elements));
  }

  void CheckMap(Expr& map) {
    const Type* keys = nullptr;
    const Type* values = nullptr;
    for (size_t i = 0; i < map.args.size(); i += 2) {
      Expr& key = *map.args[i];
      Expr& value = *map.args[i + 1];
      CheckExpr(key);
      keys = Join(keys, key.type);
      CheckExpr(value);
      values = Join(values, map.optional[i / 2] ? UnwrapOptional(value) : value.type);
    }
    if (keys == nullptr) {
      keys = unification_.NewParameter();
      values = unification_.NewParameter();
    }
    map.type = Limited(types_.Map(keys, values));
  }

  void CheckLoop(Expr& expr) {
    Loop& loop = expr.loop;
    CheckExpr(*loop.range);
    CheckExpr(*loop.init);
    const Type* range = unification_.Substitute(loop.range->type, false);
    locals_.push_back({loop.accumulator, loop.init->type});
    AddLoopVariables(loop, range);
    CheckExpr(*loop.condition);
    Expect(*loop.condition, &kBoolType);
    CheckExpr(*loop.step);
    Expect(*loop.step, loop.init->type);
    locals_.resize(locals_.size() - (loop.variable2.empty() ? 1 : 2));
    CheckExpr(*loop.result);
    locals_.pop_back();
    expr.type = unification_.Substitute(loop.result->type, false);
  }

  void AddLoopVariables(const Loop& loop, const Type* range) {
    const bool two = !loop.variable2.empty();
    const Type* first = &kDynType;
    const Type* second = &kDynType;
    switch (range->kind) {
      case TypeKind::kList:
        first = two ? &kIntType : range->parameter[0];
        second = range->parameter[0];
        break;
      case TypeKind::kMap:
        first = range->parameter[0];
        second = range->parameter[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kParameter:
        unification_.IsAssignable(&kDynType, range);
        break;
      default:
        issues_.Add(loop.range->position,
                    fmt::format("expression of type '{}' cannot be range of a comprehension (must "
                                "be list, map, or dynamic)",
                                FormatType(*range)));
        first = &kErrorType;
        second = &kErrorType;
    }
    locals_.push_back({loop.variable, first});
    if (two) locals_.push_back({loop.variable2, second});
  }

  void Expect(const Expr& expr, const Type* type) {
    if (!unification_.IsAssignable(type, expr.type)) Mismatch(expr, type, expr.type);
  }

  // Replaces the type parameters that are left.
  void Finalize(Expr& expr) {
    if (expr.type != nullptr) expr.type = unification_.Substitute(expr.type, true);
    ForEachPart(expr, [&](Expr& part) { Finalize(part); });
  }

  Ast& ast_;
  const Environment& environment_;
  TypePool& types_;
  Issues& issues_;
  Unification unification_;
  std::vector<Local> locals_;
};

}  // namespace

void Check(Ast& ast, const Environment& environment, TypePool& types, Issues& issues) {
  Checker(ast, environment, types, issues).Run();
}

}  // namespace berth::cel
