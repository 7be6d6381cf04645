#include "cel/cost.h"

#include <algorithm>
#include <cmath>

#include "cel/containers.h"
#include "cel/named_format.h"

namespace berth::cel {
namespace {

constexpr uint64_t kAllocatingCall = 1 + kListCost;

uint64_t SizeOf(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return CountCodePoints(value.text());
    case Kind::kBytes:
      return value.text().size();
    case Kind::kList:
    case Kind::kMap:
      return value.size();
    case Kind::kIp:
      return value.address().is_v4 ? 4 : 16;
    case Kind::kCidr:
      return (value.address().bits + 7U) / 8;
    case Kind::kOptional:
      return value.optional() == nullptr ? 1 : SizeOf(*value.optional());
    default:
      return 1;
  }
}

uint64_t Ceiling(double units) { return static_cast<uint64_t>(std::ceil(units)); }

uint64_t Scan(uint64_t size) { return Ceiling(static_cast<double>(size) * kScanFactor); }

uint64_t ScanTwice(uint64_t size) { return Ceiling(static_cast<double>(size) * 2 * kScanFactor); }

uint64_t SaturatedProduct(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t RegexCost(uint64_t text, uint64_t pattern) {
  // One more, so that an expensive pattern costs something for an empty text.
  return SaturatedProduct(Ceiling((1 + static_cast<double>(text)) * kScanFactor),
                          Ceiling(static_cast<double>(pattern) * kPatternFactor));
}

uint64_t Traverse(Evaluation& evaluation, const Value& value) {
  if (!evaluation.Spend(1)) return 0;
  uint64_t cost = 0;
  switch (value.kind()) {
    case Kind::kString:
    case Kind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(value.text().size()) * kScanFactor);
    case Kind::kList:
      for (const Value& item : value.items()) cost += Traverse(evaluation, item);
      return cost;
    case Kind::kMap:
      for (const MapEntry& entry : Entries(value)) {
        cost += Traverse(evaluation, entry.key) + Traverse(evaluation, entry.value);
      }
      return cost;
    default:
      return 1;
  }
}

uint64_t Allocating(double units) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  return units < kTwoTo63 ? kAllocatingCall + static_cast<uint64_t>(units) : UINT64_MAX;
}

uint64_t JoinCost(std::span<const Value> args) {
  if (!args[0].is(Kind::kList)) return ScanTwice(1);
  uint64_t size = 0;
  for (const Value& item : args[0].items()) {
    // An error has the size one.
    if (!item.is(Kind::kString)) return ScanTwice(1);
    size += CountCodePoints(item.text());
  }
  if (args.size() > 1 && args[0].size() > 1) size += (args[0].size() - 1) * SizeOf(args[1]);
  return ScanTwice(size);
}

uint64_t SliceSize(std::span<const Value> args) {
  for (size_t i = 1; i < 3; ++i) {
    if (args.size() < 3 || !args[i].is(Kind::kInt)) return 1;
  }
  const int64_t start = args[1].integer();
  const int64_t end = args[2].integer();
  const bool valid = args[0].is(Kind::kList) && start >= 0 && start <= end &&
                     end <= static_cast<int64_t>(args[0].size());
  return valid ? static_cast<uint64_t>(end - start) : 1;
}

uint64_t RangeSize(const Value& count) {
  if (!count.is(Kind::kInt)) return 1;
  return static_cast<uint64_t>(std::max<int64_t>(count.integer(), 0));
}

uint64_t FlattenCost(std::span<const Value> args) {
  double depth = 1;
  if (args.size() > 1 && args[1].is(Kind::kInt)) depth = static_cast<double>(args[1].integer());
  if (depth < 0) depth = 1;
  return Allocating(static_cast<double>(SizeOf(args[0])) * depth);
}

// All pairs of items are compared.
uint64_t PairsCost(const Value& list) {
  if (!list.is(Kind::kList) || list.size() == 0) return kAllocatingCall;
  const Kind first = list.items()[0].kind();
  const bool texts = first == Kind::kString || first == Kind::kBytes;
  const auto size = static_cast<double>(list.size());
  return Allocating(size * size * (2 + (texts ? kScanFactor : 0)));
}

uint64_t ContainsCidrCost(const Value& network) {
  const uint64_t size = SizeOf(network);
  return ScanTwice(size) + Scan(size) + 1;
}

uint64_t LabelSelectorCost(uint64_t size) {
  const double requirements = std::ceil(static_cast<double>(size) * kRequirementsPerCharacter);
  return kListCost + Scan(size) + Ceiling(requirements * kRequirementCost);
}

uint64_t ValidateCost(std::span<const Value> args) {
  if (!args[0].is(Kind::kNamedFormat)) return 1;
  return RegexCost(SizeOf(args[1]), args[0].named_format().regex_size);
}

}  // namespace

uint64_t CallCost(Evaluation& evaluation, CostRule rule, std::span<const Value> args) {
  switch (rule) {
    case CostRule::kScan:
    case CostRule::kScanPrefix:
    case CostRule::kTransform:
      return Scan(SizeOf(args[0]));
    case CostRule::kScanTwice:
    case CostRule::kReplace:
    case CostRule::kSplit:
      return ScanTwice(SizeOf(args[0]));
    case CostRule::kScanSmaller:
      return Scan(std::min(SizeOf(args[0]), SizeOf(args[1])));
    case CostRule::kScanBoth:
      return Scan(SizeOf(args[0]) + SizeOf(args[1]));
    case CostRule::kSubstring:
      return SaturatedProduct(Scan(SizeOf(args[0])), Scan(SizeOf(args[1])));
    case CostRule::kRegex:
      return RegexCost(SizeOf(args[0]), SizeOf(args[1]));
    case CostRule::kListSize:
      return SizeOf(args[1]);
    case CostRule::kTraverse:
      return Traverse(evaluation, args[0]);
    case CostRule::kJoin:
      return JoinCost(args);
    case CostRule::kContainsIp:
      return ScanTwice(SizeOf(args[0]));
    case CostRule::kContainsIpText:
      return ScanTwice(SizeOf(args[0])) + Scan(SizeOf(args[1]));
    case CostRule::kContainsCidr:
      return ContainsCidrCost(args[0]);
    case CostRule::kContainsCidrText:
      return ContainsCidrCost(args[0]) + Scan(SizeOf(args[1]));
    case CostRule::kValidate:
      return ValidateCost(args);
    case CostRule::kAuthorization:
      return kAuthorizationCost;
    case CostRule::kLabelSelector:
      return LabelSelectorCost(SizeOf(args[1]));
    case CostRule::kSets:
      return 1 + SaturatedProduct(SizeOf(args[0]), SizeOf(args[1]));
    case CostRule::kSetsTwice:
      return 1 + 2 * SaturatedProduct(SizeOf(args[0]), SizeOf(args[1]));
    case CostRule::kSlice:
      return kAllocatingCall + SliceSize(args);
    case CostRule::kRange:
      return kAllocatingCall + RangeSize(args[0]);
    case CostRule::kReverse:
      return kAllocatingCall + SizeOf(args[0]);
    case CostRule::kFlatten:
      return FlattenCost(args);
    case CostRule::kDistinct:
    case CostRule::kSort:
      return PairsCost(args[0]);
    case CostRule::kSortBy:
      return PairsCost(args[1]);
    case CostRule::kUnset:
    case CostRule::kOne:
    case CostRule::kIncludes:
      return 1;
  }
  return 1;
}

uint64_t EqualityCost(const Value& a, const Value& b, bool unequal) {
  if (!unequal) {
    switch (a.kind()) {
      case Kind::kQuantity:
      case Kind::kSemver:
      case Kind::kUrl:
      case Kind::kIp:
      case Kind::kCidr:
      case Kind::kNamedFormat:
        return 1;
      default:
        break;
    }
  }
  return Scan(std::min(SizeOf(a), SizeOf(b)));
}

CostRule RuleFor(const Function& function, const Overload* overload) {
  if (overload != nullptr && overload->cost != CostRule::kUnset) return overload->cost;
  return function.cost();
}

}  // namespace berth::cel
