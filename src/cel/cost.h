// The cost of calls at run time, in the units of Kubernetes.
#pragma once

#include <cstdint>
#include <span>

#include "cel/declarations.h"
#include "cel/evaluation.h"
#include "cel/value.h"

namespace berth::cel {

// Units that do not depend on arguments.
inline constexpr uint64_t kListCost = 10;
inline constexpr uint64_t kMapCost = 30;

// Units for each code point of a string that is read, and of a pattern that is matched.
inline constexpr double kScanFactor = 0.1;
inline constexpr double kPatternFactor = 0.25;

// Two checks of the authorizer are what an expression can afford.
inline constexpr uint64_t kAuthorizationCost = 350'000;
// A requirement of a selector has two characters or more, and makes a list and an object.
inline constexpr double kRequirementsPerCharacter = 0.5;
inline constexpr double kRequirementCost = 50;

// Lists longer than this have no includes().
inline constexpr uint64_t kMaxIncludesItems = 48;

// Returns the cost of a call whose arguments were all evaluated; errors among them count as values
// of size one. It is known before the call, so that nothing is computed that cannot be paid.
uint64_t CallCost(Evaluation& evaluation, CostRule rule, std::span<const Value> args);
// The cost of a == b and, with `unequal`, of a != b.
uint64_t EqualityCost(const Value& a, const Value& b, bool unequal);

// Returns the rule for a call: of the only overload that the checker found, else of the function.
CostRule RuleFor(const Function& function, const Overload* overload);

}  // namespace berth::cel
