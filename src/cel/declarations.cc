#include "cel/declarations.h"

#include <string>

#include "cel/containers.h"
#include "cel/evaluation.h"

namespace berth::cel {
namespace {

bool Accepts(const Overload& overload, std::span<const Value> args) {
  if (overload.parameters.size() != args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!IsRuntimeType(*overload.parameters[i], args[i])) return false;
  }
  return true;
}

Value NoOverload(const Function& function, const Call& call) {
  std::string types;
  for (const Value& arg : call.args) {
    if (!types.empty()) types += ", ";
    types += arg.type().name;
  }
  return call.evaluation.FailWith("no such overload: {}({})", function.name(), types);
}

}  // namespace

Function& Function::Member(std::string_view id, Types parameters, const Type* result,
                           Implementation runs, CostRule cost) {
  Global(id, parameters, result, runs, cost);
  overloads_.back().member = true;
  return *this;
}

Function& Function::Global(std::string_view id, Types parameters, const Type* result,
                           Implementation runs, CostRule cost) {
  overloads_.push_back({.id = id,
                        .parameters = parameters,
                        .result = result,
                        .implementation = runs,
                        .cost = cost,
                        .stops_at_error = parameters.size() > 2});
  return *this;
}

Function& Function::Runs(Implementation runs) {
  implementation_ = runs;
  return *this;
}

Function& Function::Costs(CostRule cost) {
  cost_ = cost;
  return *this;
}

Function& Function::StopsAtError() {
  overloads_.back().stops_at_error = true;
  return *this;
}

bool IsRuntimeType(const Type& type, const Value& value) {
  if (type.is_dynamic() || type.kind == TypeKind::kParameter) return true;
  if (type.name != value.type().name) return false;
  if (type.parameter_count == 0) return true;
  if (type.kind == TypeKind::kList) {
    return value.size() == 0 || IsRuntimeType(*type.parameter[0], value.items()[0]);
  }
  if (type.kind == TypeKind::kMap && value.size() > 0) {
    const MapEntry& entry = Entries(value)[0];
    return IsRuntimeType(*type.parameter[0], entry.key) &&
           IsRuntimeType(*type.parameter[1], entry.value);
  }
  return true;
}

Value Dispatch(const Function& function, const Overload* overload, const Call& call) {
  if (function.implementation() != nullptr) return function.implementation()(call);
  if (overload != nullptr) {
    return Accepts(*overload, call.args) ? overload->implementation(call)
                                         : NoOverload(function, call);
  }
  for (const Overload& candidate : function.overloads()) {
    if (Accepts(candidate, call.args)) return candidate.implementation(call);
  }
  return NoOverload(function, call);
}

}  // namespace berth::cel
