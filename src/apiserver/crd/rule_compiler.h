// Compiles the rules of x-kubernetes-validations: expressions of CEL about the values of a schema.
//
// `self` is the value that the rule belongs to, `oldSelf` what it was before an update. Programs
// are owned by the schema.
#pragma once

#include <cstdint>

#include "apiserver/crd/schema.h"

namespace berth::apiserver::admission {
class FieldErrors;
class FieldPath;
}  // namespace berth::apiserver::admission

namespace berth::apiserver::crd {

// kube-apiserver's limits of what rules are estimated to cost, for the largest request: one rule,
// and all of a schema.
inline constexpr uint64_t kMaxEstimatedRuleCost = 10'000'000;
inline constexpr uint64_t kMaxEstimatedSchemaCost = 100'000'000;

struct RuleCheck {
  // openAPIV3Schema.
  const admission::FieldPath& path;
  // Off for a schema that an update leaves as it is.
  bool limits_each_cost = true;
  admission::FieldErrors& errors;
};

// Compiles the rules of `root` and of all below, the schema of a resource. With `check`, adds the
// errors that kube-apiserver reports about a definition; without, a rule that cannot be compiled
// has an error instead of a program.
void CompileRules(Schema& root, SchemaBudget& budget, const RuleCheck* check);

// Adds the errors of a schema's rules that do not depend on what they mean.
void CheckRuleTexts(const api::JsonObject& schema, const admission::FieldPath& path,
                    admission::FieldErrors& errors);

}  // namespace berth::apiserver::crd
