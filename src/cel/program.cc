#include "cel/program.h"

#include <utility>

#include "cel/checker.h"
#include "cel/issues.h"
#include "cel/parser.h"
#include "cel/planner.h"
#include "cel/validators.h"

namespace berth::cel {
namespace {

bool RefersTo(const Expr& expr, const Environment::Variable* variable) {
  bool found = expr.variable == variable;
  ForEachPart(expr, [&](const Expr& part) { found = found || RefersTo(part, variable); });
  return found;
}

}  // namespace

bool CheckedExpression::Uses(std::string_view variable) const {
  const Environment::Variable* declared = environment_.FindVariable(variable);
  return declared != nullptr && RefersTo(*ast_.root(), declared);
}

std::expected<std::unique_ptr<CheckedExpression>, CompileError> CheckedExpression::Make(
    std::string_view expression, const Environment& environment) {
  std::unique_ptr<CheckedExpression> checked(new CheckedExpression(expression, environment));
  Issues issues(checked->ast_.source());
  Parse(checked->ast_, environment.has_bind(), issues);
  if (issues.empty()) Check(checked->ast_, environment, checked->types_, issues);
  if (issues.empty()) Validate(checked->ast_, issues);
  if (issues.empty()) return checked;
  return std::unexpected(
      CompileError{CompileError::Kind::kInvalid, "compilation failed: " + issues.ToString()});
}

std::expected<std::unique_ptr<Program>, CompileError> Program::Make(
    const CheckedExpression& expression) {
  std::unique_ptr<Program> program(new Program());
  Planner planner(*program);
  if (planner.Plan(*expression.ast().root())) return program;
  return std::unexpected(CompileError{CompileError::Kind::kInternal,
                                      "program instantiation failed: " + planner.error()});
}

}  // namespace berth::cel
