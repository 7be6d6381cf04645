// The functions that expressions can call: their signatures for the checker, their implementations
// for the evaluation, and how their cost is counted.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "cel/type.h"
#include "cel/value.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace berth::cel {

class Evaluation;

// The arguments of one call; a receiver is the first.
struct Call {
  Evaluation& evaluation;
  std::span<const Value> args;
  const re2::RE2* pattern = nullptr;  // The pattern, if it is a constant.

  const Value& operator[](size_t i) const { return args[i]; }
};

// Gets values of the declared types and no errors.
using Implementation = Value (*)(const Call& call);

// How the cost of a call is counted, at run time (cost.h) and in the estimate (cost_estimate.h).
// "Scan" is 0.1 units for each code point, rounded up.
enum class CostRule : uint8_t {
  kUnset,  // One unit, unless the function has a rule.
  kOne,
  kScan,         // Of the first argument.
  kScanTwice,    // Likewise, and of a result as long.
  kScanPrefix,   // Of the receiver; the estimate takes the argument.
  kScanSmaller,  // Of the smaller of two arguments.
  kScanBoth,     // Of two arguments.
  kSubstring,    // The product of both scans.
  kRegex,        // The product of the scan and a quarter unit for each code point of the pattern.
  kListSize,     // One for each item of the second argument.
  kTraverse,     // Of everything in the first argument.
  kTransform,    // Scan; the result is as long as the receiver.
  kReplace,
  kSplit,
  kJoin,
  kContainsIp,      // Two scans of the network's prefix;
  kContainsIpText,  // the address is parsed, too.
  kContainsCidr,
  kContainsCidrText,
  kValidate,  // A regular expression of the size that the format says.
  kAuthorization,
  kLabelSelector,  // Parsing a label or field selector.
  kIncludes,
  kSets,       // The product of two sizes,
  kSetsTwice,  // or twice that.
  kSlice,      // An allocation, and one for each item of the result.
  kRange,
  kReverse,
  kFlatten,
  kDistinct,  // An allocation and all pairs of items,
  kSort,
  kSortBy,  // or keys.
};

struct Overload {
  std::string_view id;
  bool member = false;
  std::vector<const Type*> parameters;  // A receiver is the first.
  const Type* result = nullptr;
  Implementation implementation = nullptr;
  CostRule cost = CostRule::kUnset;
  // Evaluates no further argument after one that is an error. All functions of more than two
  // arguments do.
  bool stops_at_error = false;
};

// All overloads of one name.
class Function {
 public:
  explicit Function(std::string_view name) : name_(name) {}

  using Types = std::initializer_list<const Type*>;
  Function& Member(std::string_view id, Types parameters, const Type* result,
                   Implementation runs = nullptr, CostRule cost = CostRule::kUnset);
  Function& Global(std::string_view id, Types parameters, const Type* result,
                   Implementation runs = nullptr, CostRule cost = CostRule::kUnset);
  // One implementation for all overloads. It gets values of any type, though no errors.
  Function& Runs(Implementation runs);
  Function& Costs(CostRule cost);
  // The last overload stops at an argument that is an error.
  Function& StopsAtError();

  std::string_view name() const { return name_; }
  const std::vector<Overload>& overloads() const { return overloads_; }
  Implementation implementation() const { return implementation_; }
  CostRule cost() const { return cost_; }

 private:
  std::string_view name_;
  std::vector<Overload> overloads_;
  Implementation implementation_ = nullptr;
  CostRule cost_ = CostRule::kUnset;
};

// Reports whether `value` may be an argument where `type` is declared. Of a list or map only the
// first entry is looked at.
bool IsRuntimeType(const Type& type, const Value& value);

// Calls the implementation that fits the arguments, of which none is an error. `overload` is the
// only one that the checker found, or nullptr.
Value Dispatch(const Function& function, const Overload* overload, const Call& call);

}  // namespace berth::cel
