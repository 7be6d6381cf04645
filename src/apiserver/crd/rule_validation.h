// Validation of objects by the rules of their schema, x-kubernetes-validations, with the error
// messages of kube-apiserver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/json/json.h"

namespace berth::apiserver::admission {
class FieldErrors;
class FieldPath;
}  // namespace berth::apiserver::admission

namespace berth::apiserver::crd {

struct Schema;

// kube-apiserver's limits of the cost of one evaluation, and of all for one object.
inline constexpr uint64_t kMaxRuleCost = 1'000'000;
inline constexpr uint64_t kMaxObjectRuleCost = 10'000'000;
// DIFFERS: kube-apiserver has no limit of work without cost (cel/limits.h), such as comparing what
// is nested. This many steps for one object take about 0.3 s.
inline constexpr uint64_t kMaxObjectRuleSteps = 50'000'000;
// The longest message that an expression makes, in bytes.
inline constexpr size_t kMaxRuleMessageBytes = 5 * 1024;

// What is left for the rules of an object.
struct RuleBudget {
  uint64_t cost = kMaxObjectRuleCost;
  uint64_t steps = kMaxObjectRuleSteps;
  bool exhausted = false;  // No further rules are evaluated.
};

// Validates an object of a custom resource whose rules are compiled. `old` is the object before an
// update, or null. What an update leaves as it is may violate rules, which is added to `warnings`
// (unless that is null), except those about the change itself. Both lists have at most
// kMaxReportedErrors (api/field_errors.h).
void ValidateByRules(const Schema& root, const api::Json& object, const api::Json* old,
                     admission::FieldErrors& errors, std::vector<std::string>* warnings);

// Validates the default of a schema, which must be valid in new objects and in updates.
void ValidateDefaultByRules(const Schema& schema, const admission::FieldPath& path,
                            RuleBudget& budget, admission::FieldErrors& errors);

}  // namespace berth::apiserver::crd
