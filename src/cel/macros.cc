#include "cel/macros.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cel/containers.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

// The name that accumulators had once; it remains reserved for them.
constexpr std::string_view kOldAccumulator = "__result__";
constexpr std::string_view kUnusedVariable = "#unused";
constexpr std::string_view kSortInput = "@__sortBy_input__";

// Expansion makes the expressions of one macro.
class Expansion {
 public:
  explicit Expansion(const MacroCall& call) : call_(call) {}

  Expr* Literal(const Value& value) {
    Expr* expr = New(ExprKind::kLiteral);
    expr->literal = value;
    return expr;
  }

  Expr* Ident(std::string_view name) {
    Expr* expr = New(ExprKind::kIdent);
    expr->name = name;
    return expr;
  }

  Expr* Accumulator() { return Ident(kAccumulator); }

  Expr* List(std::vector<Expr*> items = {}) {
    Expr* expr = New(ExprKind::kList);
    expr->optional.resize(items.size());
    expr->args = std::move(items);
    Ast::SetDepth(*expr, false);
    return expr;
  }

  Expr* Map() { return New(ExprKind::kMap); }

  Expr* Call(std::string_view function, std::vector<Expr*> args) {
    Expr* expr = New(ExprKind::kCall);
    expr->name = function;
    expr->args = std::move(args);
    Ast::SetDepth(*expr, false);
    return expr;
  }

  Expr* MemberCall(std::string_view function, Expr* target, std::vector<Expr*> args = {}) {
    Expr* expr = Call(function, std::move(args));
    expr->is_member_call = true;
    expr->target = target;
    Ast::SetDepth(*expr, false);
    return expr;
  }

  Expr* MakeLoop(const Loop& loop) {
    Expr* expr = New(ExprKind::kLoop);
    expr->loop = loop;
    Ast::SetDepth(*expr, false);
    return expr;
  }

  // A loop that runs no round: its result sees the variable, which is computed when it is read.
  Expr* Bind(std::string_view variable, Expr* init, Expr* result) {
    return MakeLoop({.range = List(),
                     .variable = kUnusedVariable,
                     .variable2 = {},
                     .accumulator = variable,
                     .init = init,
                     .condition = Literal(Value::Bool(false)),
                     .step = Ident(variable),
                     .result = result});
  }

  Expr* Fail(const Expr& where, std::string message) {
    call_.issues.Add(where.position, std::move(message));
    return Literal(Value());
  }

 private:
  Expr* New(ExprKind kind) { return call_.ast.New(kind, call_.position); }

  const MacroCall& call_;
};

// The one or two variables of a loop, and where the other arguments begin.
struct Variables {
  std::string_view first;
  std::string_view second;
  size_t count = 1;
};

// Returns nullopt and adds an issue if an argument is no name for a variable.
std::optional<Variables> ReadVariables(const MacroCall& call, size_t count,
                                       std::string_view wrong) {
  for (size_t i = 0; i < count; ++i) {
    if (call.args[i]->kind != ExprKind::kIdent) {
      call.issues.Add(call.args[i]->position, std::string(wrong));
      return std::nullopt;
    }
    const std::string_view name = call.args[i]->name;
    if (i > 0 && name == call.args[0]->name) {
      call.issues.Add(call.args[i]->position, fmt::format("duplicate variable name: {}", name));
      return std::nullopt;
    }
    if (name == kAccumulator || name == kOldAccumulator) {
      call.issues.Add(call.args[i]->position, "iteration variable overwrites accumulator variable");
      return std::nullopt;
    }
  }
  Variables variables{.first = call.args[0]->name, .second = {}, .count = count};
  if (count > 1) variables.second = call.args[1]->name;
  return variables;
}

Expr* Quantifier(const MacroCall& call, const Variables& variables) {
  Expansion make(call);
  Expr* predicate = call.args[variables.count];
  Loop loop{.range = call.target,
            .variable = variables.first,
            .variable2 = variables.second,
            .accumulator = kAccumulator};
  if (call.name == "all") {
    loop.init = make.Literal(Value::Bool(true));
    loop.condition = make.Call(operators::kNotStrictlyFalse, {make.Accumulator()});
    loop.step = make.Call(operators::kAnd, {make.Accumulator(), predicate});
    loop.result = make.Accumulator();
  } else if (call.name == "exists") {
    loop.init = make.Literal(Value::Bool(false));
    loop.condition =
        make.Call(operators::kNotStrictlyFalse, {make.Call(operators::kNot, {make.Accumulator()})});
    loop.step = make.Call(operators::kOr, {make.Accumulator(), predicate});
    loop.result = make.Accumulator();
  } else {
    loop.init = make.Literal(Value::Int(0));
    loop.condition = make.Literal(Value::Bool(true));
    Expr* count = make.Call(operators::kAdd, {make.Accumulator(), make.Literal(Value::Int(1))});
    loop.step = make.Call(operators::kConditional, {predicate, count, make.Accumulator()});
    loop.result = make.Call(operators::kEquals, {make.Accumulator(), make.Literal(Value::Int(1))});
  }
  return make.MakeLoop(loop);
}

// map, filter, transformList, transformMap and transformMapEntry: a loop that adds something to its
// accumulator, for each round or only if a filter says so.
Expr* Transformation(const MacroCall& call, const Variables& variables, Expr* range) {
  Expansion make(call);
  const bool is_filter = call.name == "filter";
  const bool to_map = call.name.starts_with("transformMap");
  const bool filtered = is_filter || call.args.size() == variables.count + 2;
  Expr* item = is_filter ? call.args[0] : call.args.back();
  Expr* step = nullptr;
  if (call.name == "transformMap") {
    step =
        make.Call(operators::kMapInsert, {make.Accumulator(), make.Ident(variables.first), item});
  } else if (to_map) {
    step = make.Call(operators::kMapInsert, {make.Accumulator(), item});
  } else {
    step = make.Call(operators::kAdd, {make.Accumulator(), make.List({item})});
  }
  if (filtered) {
    step =
        make.Call(operators::kConditional, {call.args[variables.count], step, make.Accumulator()});
  }
  return make.MakeLoop({.range = range,
                        .variable = variables.first,
                        .variable2 = variables.second,
                        .accumulator = kAccumulator,
                        .init = to_map ? make.Map() : make.List(),
                        .condition = make.Literal(Value::Bool(true)),
                        .step = step,
                        .result = make.Accumulator()});
}

Expr* Has(const MacroCall& call) {
  Expansion make(call);
  const Expr& arg = *call.args[0];
  if (arg.kind != ExprKind::kSelect || arg.is_test) {
    return make.Fail(arg, "invalid argument to has() macro");
  }
  Expr* test = call.ast.New(ExprKind::kSelect, call.position);
  test->name = arg.name;
  test->target = arg.target;
  test->is_test = true;
  Ast::SetDepth(*test, false);
  return test;
}

Expr* CelBind(const MacroCall& call) {
  Expansion make(call);
  if (call.args[0]->kind != ExprKind::kIdent) {
    return make.Fail(*call.args[0], "cel.bind() variable names must be simple identifiers");
  }
  return make.Bind(call.args[0]->name, call.args[1], call.args[2]);
}

Expr* OptionalMap(const MacroCall& call) {
  Expansion make(call);
  if (call.args[0]->kind != ExprKind::kIdent) {
    return make.Fail(*call.args[0],
                     fmt::format("{}() variable name must be a simple identifier", call.name));
  }
  Expr* value = make.MemberCall(operators::kOptionalValue, call.ast.Copy(*call.target));
  Expr* mapped = make.Bind(call.args[0]->name, value, call.args[1]);
  if (call.name == "optMap") mapped = make.Call(operators::kOptionalOf, {mapped});
  return make.Call(operators::kConditional, {make.MemberCall(operators::kHasValue, call.target),
                                             mapped, make.Call(operators::kOptionalNone, {})});
}

Expr* SortBy(const MacroCall& call) {
  Expansion make(call);
  if (call.target->kind == ExprKind::kLiteral || call.target->kind == ExprKind::kMap) {
    return make.Fail(*call.target,
                     "sortBy can only be applied to a list, identifier, comprehension, call or "
                     "select expression");
  }
  const auto variables = ReadVariables(call, 1, "argument is not an identifier");
  if (!variables) return make.Literal(Value());
  Expr* keys = Transformation(call, *variables, make.Ident(kSortInput));
  Expr* sorted = make.MemberCall(operators::kSortByKeys, make.Ident(kSortInput), {keys});
  return make.Bind(kSortInput, call.target, sorted);
}

struct LoopMacro {
  std::string_view name;
  size_t variables;
  size_t min_args;
  size_t max_args;
  Expr* (*expand)(const MacroCall& call, const Variables& variables);
};

Expr* TransformTarget(const MacroCall& call, const Variables& variables) {
  return Transformation(call, variables, call.target);
}

constexpr LoopMacro kLoopMacros[] = {
    {"all", 1, 2, 2, Quantifier},
    {"exists", 1, 2, 2, Quantifier},
    {"exists_one", 1, 2, 2, Quantifier},
    {"map", 1, 2, 3, TransformTarget},
    {"filter", 1, 2, 2, TransformTarget},
    {"all", 2, 3, 3, Quantifier},
    {"exists", 2, 3, 3, Quantifier},
    {"exists_one", 2, 3, 3, Quantifier},
    {"existsOne", 2, 3, 3, Quantifier},
    {"transformList", 2, 3, 4, TransformTarget},
    {"transformMap", 2, 3, 4, TransformTarget},
    {"transformMapEntry", 2, 3, 4, TransformTarget},
};

}  // namespace

std::optional<Expr*> ExpandMacro(const MacroCall& call) {
  const size_t args = call.args.size();
  if (call.target == nullptr) {
    if (call.name == "has" && args == 1) return Has(call);
    return std::nullopt;
  }
  for (const LoopMacro& macro : kLoopMacros) {
    if (macro.name != call.name || args < macro.min_args || args > macro.max_args) continue;
    const bool is_quantifier = macro.expand == Quantifier;
    const auto variables =
        ReadVariables(call, macro.variables,
                      is_quantifier || macro.variables > 1 ? "argument must be a simple name"
                                                           : "argument is not an identifier");
    return variables ? macro.expand(call, *variables) : Expansion(call).Literal(Value());
  }
  if (call.has_bind && call.name == "bind" && args == 3 && call.target->kind == ExprKind::kIdent &&
      call.target->name == "cel") {
    return CelBind(call);
  }
  if ((call.name == "optMap" || call.name == "optFlatMap") && args == 2) return OptionalMap(call);
  if (call.name == "sortBy" && args == 2) return SortBy(call);
  return std::nullopt;
}

}  // namespace berth::cel
