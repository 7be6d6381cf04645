#include "cel/call_estimate.h"

#include <algorithm>
#include <cmath>

#include "cel/cost.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

constexpr CostRange kOneUnit = CostRange::Exactly(1);
// Estimated for the pattern of any named format.
constexpr double kNamedFormatPattern = 128;
constexpr uint64_t kMaxNamedFormat = 64;
// An address has 4 or 16 bytes.
constexpr CostRange kAddressSize{4, 16};

CostRange Scan(const CostRange& size) { return size.Scaled(kScanFactor); }

CostRange ScanTwice(const CostRange& size) { return size.Scaled(2 * kScanFactor); }

// The value of an argument that is a literal integer; negative ones count as zero.
uint64_t LiteralOr(const EstimatedNode& node, uint64_t otherwise) {
  if (node.expr->kind != ExprKind::kLiteral || !node.expr->literal.is(Kind::kInt)) return otherwise;
  return static_cast<uint64_t>(std::max<int64_t>(node.expr->literal.integer(), 0));
}

CallEstimate Allocating(const CostRange& size, double factor) {
  return {size.Scaled(factor) + CostRange::Exactly(1 + kListCost), size};
}

CallEstimate RegexEstimate(const EstimatedNode& text, const EstimatedNode& pattern) {
  const CostRange scan = Scan(text.size_or_unknown() + kOneUnit);
  return {scan * pattern.size_or_unknown().Scaled(kPatternFactor), std::nullopt};
}

bool IsText(const Type& type) {
  return type.kind == TypeKind::kString || type.kind == TypeKind::kBytes;
}

// The size of the items of a list.
CostRange ItemSize(const EstimatedNode& list, const SizeLimit& size_limit) {
  if (list.path.empty()) return CostRange::Unknown();
  std::vector<std::string_view> path = list.path;
  path.emplace_back("@items");
  const auto limit = size_limit(path);
  return limit ? CostRange{0, *limit} : CostRange::Unknown();
}

CallEstimate TraverseEstimate(const EstimatedNode& target, const SizeLimit& size_limit) {
  const Type& type = *target.expr->type;
  if (type.parameter_count == 0) return {Scan(target.size_or_unknown()), std::nullopt};
  CostRange item = kOneUnit;
  if (IsText(*type.parameter[0])) item = item + Scan(ItemSize(target, size_limit));
  return {target.size_or_unknown() * item, std::nullopt};
}

// How often something is replaced, and what is left of the text otherwise.
struct Replacements {
  uint64_t count = 0;
  uint64_t retained = 0;
};

Replacements CountReplacements(uint64_t text, uint64_t old, bool same_size_suffices) {
  if (old == 0) return {text < UINT64_MAX ? text + 1 : text, text};
  if (same_size_suffices) return {0, text};
  const double count = std::ceil(static_cast<double>(text) / static_cast<double>(old));
  constexpr double kTwoTo64 = 18446744073709551616.0;
  return {count >= kTwoTo64 ? UINT64_MAX : static_cast<uint64_t>(count), 0};
}

CallEstimate ReplaceEstimate(const EstimatedNode& target, std::span<const EstimatedNode> args) {
  const CostRange text = target.size_or_unknown();
  const CostRange old = args[0].size_or_unknown();
  const CostRange replacement = args[1].size_or_unknown();
  const Replacements most = CountReplacements(text.max, old.min, replacement.max <= old.min);
  const Replacements least = CountReplacements(text.min, old.max, old.max <= replacement.min);
  const CostRange size =
      CostRange{least.count, most.count} * replacement + CostRange{least.retained, most.retained};
  return {ScanTwice(text), size};
}

CallEstimate SplitEstimate(const EstimatedNode& target, std::span<const EstimatedNode> args) {
  const CostRange text = target.size_or_unknown();
  uint64_t parts = text.max;
  if (args.size() > 1 && args[1].expr->kind == ExprKind::kLiteral &&
      args[1].expr->literal.is(Kind::kInt)) {
    parts = static_cast<uint64_t>(args[1].expr->literal.integer());
  }
  return {ScanTwice(text), CostRange{0, parts}};
}

CallEstimate JoinEstimate(const EstimatedNode& target, std::span<const EstimatedNode> args,
                          const SizeLimit& size_limit) {
  const CostRange list = target.size_or_unknown();
  CostRange size;
  if (target.expr->type->parameter_count > 0) size = list * ItemSize(target, size_limit);
  if (!args.empty()) {
    const CostRange separators{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
    size = size + args[0].size_or_unknown() * separators;
  }
  return {Scan(size), size};
}

CostRange ContainsCost(bool is_network, const EstimatedNode* text) {
  CostRange cost = Scan(kAddressSize + kAddressSize);
  if (is_network) cost = cost + Scan(kAddressSize) + kOneUnit;
  return text == nullptr ? cost : cost + Scan(text->size_or_unknown());
}

std::optional<CostRange> KubernetesEquality(std::span<const EstimatedNode> args) {
  const Type* type = args[0].expr->type;
  if (type != args[1].expr->type) return std::nullopt;
  if (type == &kQuantityType || type == &kSemverType || type == &kIpType || type == &kCidrType) {
    return kOneUnit;
  }
  if (type == &kNamedFormatType) return Scan({1, kMaxNamedFormat});
  if (type == &kUrlType) return Scan({1, args[1].size.value_or(kOneUnit).max});
  return std::nullopt;
}

CallEstimate SmallerEstimate(const Function& function, std::span<const EstimatedNode> args) {
  if (function.name() == operators::kEquals) {
    if (const auto cost = KubernetesEquality(args)) return {*cost, std::nullopt};
  }
  const uint64_t smaller = std::min(args[0].size_or_unknown().max, args[1].size_or_unknown().max);
  return {Scan({smaller > 0 ? 1U : 0U, smaller}), std::nullopt};
}

// Functions that scan one text: conversions know more about the size of the result.
CallEstimate ScanEstimate(const Function& function, const Overload& overload,
                          const EstimatedNode& text) {
  const CostRange size = text.size_or_unknown();
  CallEstimate estimate{Scan(size), std::nullopt};
  const auto times = [](uint64_t number, uint64_t factor) {
    return (CostRange::Exactly(number) * CostRange::Exactly(factor)).max;
  };
  if (overload.id == "string_to_bytes") {
    estimate.result_size = CostRange{size.min, times(size.max, 4)};
  } else if (overload.id == "bytes_to_string") {
    estimate.result_size = CostRange{size.min / 4, size.max};
  } else if (overload.id == "strings_quote") {
    estimate.result_size = CostRange{size.min, times(size.max, 2)} + CostRange::Exactly(2);
  } else if (function.name() == "url") {
    estimate.result_size = size;
  }
  return estimate;
}

CostRange PairsOf(const EstimatedNode& list) {
  return list.size_or_unknown() * list.size_or_unknown();
}

CallEstimate SortEstimate(const EstimatedNode& list, const Type& items) {
  return Allocating(PairsOf(list), 2 + (IsText(*items.parameter[0]) ? kScanFactor : 0));
}

CallEstimate ListEstimate(CostRule rule, const Overload& overload, const EstimatedNode* target,
                          std::span<const EstimatedNode> args) {
  switch (rule) {
    case CostRule::kSlice: {
      const uint64_t start = LiteralOr(args[0], 0);
      const uint64_t end = LiteralOr(args[1], target->size_or_unknown().max);
      return Allocating(CostRange::Exactly(end - start), 1);
    }
    case CostRule::kRange:
      return Allocating(CostRange::Exactly(LiteralOr(args[0], UINT64_MAX)), 1);
    case CostRule::kReverse:
      return Allocating(target->size_or_unknown(), 1);
    case CostRule::kFlatten:
      return Allocating(target->size_or_unknown(),
                        args.empty() ? 1 : static_cast<double>(LiteralOr(args[0], UINT64_MAX)));
    case CostRule::kDistinct:
      return Allocating(PairsOf(*target), 2);
    case CostRule::kSort:
      return SortEstimate(*target, *overload.parameters[0]);
    default:
      return SortEstimate(args[0], *overload.parameters[1]);
  }
}

}  // namespace

CallEstimate EstimateCall(const Function& function, const Overload& overload,
                          const EstimatedNode* target, std::span<const EstimatedNode> args,
                          const SizeLimit& size_limit) {
  const CostRule rule = RuleFor(function, &overload);
  const EstimatedNode* first = target != nullptr ? target : args.empty() ? nullptr : args.data();
  switch (rule) {
    case CostRule::kScan:
      return ScanEstimate(function, overload, *first);
    case CostRule::kScanTwice:
      return {ScanTwice(first->size_or_unknown()), std::nullopt};
    case CostRule::kScanPrefix:
      return {Scan(args[0].size_or_unknown()), std::nullopt};
    case CostRule::kScanSmaller:
      return SmallerEstimate(function, args);
    case CostRule::kScanBoth: {
      const CostRange size = args[0].size_or_unknown() + args[1].size_or_unknown();
      return {Scan(size), size};
    }
    case CostRule::kSubstring:
      return {Scan(target->size_or_unknown()) * Scan(args[0].size_or_unknown()), std::nullopt};
    case CostRule::kRegex: {
      CallEstimate estimate = RegexEstimate(*first, target != nullptr ? args[0] : args[1]);
      if (function.name() != "matches") {
        estimate.result_size = CostRange{0, first->size_or_unknown().max};
      }
      return estimate;
    }
    case CostRule::kListSize:
      return {args[1].size_or_unknown().Scaled(1), std::nullopt};
    case CostRule::kTraverse:
      return TraverseEstimate(*target, size_limit);
    case CostRule::kTransform:
      return {Scan(target->size_or_unknown()), target->size_or_unknown()};
    case CostRule::kReplace:
      return ReplaceEstimate(*target, args);
    case CostRule::kSplit:
      return SplitEstimate(*target, args);
    case CostRule::kJoin:
      return JoinEstimate(*target, args, size_limit);
    case CostRule::kContainsIp:
    case CostRule::kContainsIpText:
      return {ContainsCost(false, rule == CostRule::kContainsIpText ? args.data() : nullptr),
              std::nullopt};
    case CostRule::kContainsCidr:
    case CostRule::kContainsCidrText:
      return {ContainsCost(true, rule == CostRule::kContainsCidrText ? args.data() : nullptr),
              std::nullopt};
    case CostRule::kValidate:
      return {Scan(args[0].size_or_unknown()).Scaled(kNamedFormatPattern * kPatternFactor),
              std::nullopt};
    case CostRule::kAuthorization:
      return {CostRange::Exactly(kAuthorizationCost), std::nullopt};
    case CostRule::kLabelSelector: {
      const CostRange size = args[0].size_or_unknown();
      const CostRange requirements = size.Scaled(kRequirementsPerCharacter);
      return {CostRange::Exactly(kListCost) + Scan(size) + requirements.Scaled(kRequirementCost),
              std::nullopt};
    }
    case CostRule::kIncludes:
      return {CostRange::Exactly(kMaxIncludesItems), std::nullopt};
    case CostRule::kSets:
    case CostRule::kSetsTwice: {
      const CostRange pairs = args[0].size_or_unknown() * args[1].size_or_unknown();
      return {pairs.Scaled(rule == CostRule::kSets ? 1 : 2) + kOneUnit, std::nullopt};
    }
    case CostRule::kSlice:
    case CostRule::kRange:
    case CostRule::kReverse:
    case CostRule::kFlatten:
    case CostRule::kDistinct:
    case CostRule::kSort:
    case CostRule::kSortBy:
      return ListEstimate(rule, overload, target, args);
    case CostRule::kUnset:
    case CostRule::kOne:
      break;
  }
  return {kOneUnit, std::nullopt};
}

}  // namespace berth::cel
