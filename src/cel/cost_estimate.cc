#include "cel/cost_estimate.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/call_estimate.h"
#include "cel/cost.h"
#include "cel/cost_range.h"
#include "cel/macros.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

using Path = std::vector<std::string_view>;

// The sizes of what a list or map contains.
struct EntrySizes {
  bool is_list = true;
  CostRange key;
  CostRange value;
};

struct LocalSize {
  Path path;
  std::optional<CostRange> size;
  std::optional<EntrySizes> entries;
};

bool IsScalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
      return true;
    default:
      return type.is_optional() && IsScalar(*type.parameter[0]);
  }
}

std::optional<CostRange> LiteralSize(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      if (expr.literal.is(Kind::kString)) {
        return CostRange::Exactly(CountCodePoints(expr.literal.text()));
      }
      if (expr.literal.is(Kind::kBytes)) return CostRange::Exactly(expr.literal.text().size());
      return CostRange::Exactly(1);
    case ExprKind::kList:
      return CostRange::Exactly(expr.args.size());
    case ExprKind::kMap:
      return CostRange::Exactly(expr.args.size() / 2);
    default:
      return std::nullopt;
  }
}

// cel.bind and what expands to the same.
bool IsBind(const Loop& loop) {
  return loop.range->kind == ExprKind::kList && loop.range->args.empty() &&
         loop.condition->kind == ExprKind::kLiteral && loop.condition->literal.is_false() &&
         loop.accumulator != kAccumulator;
}

class Estimator {
 public:
  explicit Estimator(const SizeLimit& size_limit) : size_limit_(size_limit) {}

  CostRange Cost(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return {};
      case ExprKind::kIdent:
        return IdentCost(expr);
      case ExprKind::kSelect:
        return SelectCost(expr);
      case ExprKind::kCall:
        return expr.name == "dyn" ? DynCost(expr) : CallCost(expr);
      case ExprKind::kList:
        return ListCost(expr);
      case ExprKind::kMap:
        return MapCost(expr);
      case ExprKind::kLoop:
        return IsBind(expr.loop) ? BindCost(expr) : LoopCost(expr);
    }
    return {};
  }

 private:
  static constexpr CostRange kUnit = CostRange::Exactly(1);

  const LocalSize* FindLocal(const Expr& expr) const {
    if (expr.kind != ExprKind::kIdent) return nullptr;
    const auto found = locals_.find(expr.name);
    return found == locals_.end() || found->second.empty() ? nullptr : &found->second.back();
  }

  Path PathOf(const Expr& expr) const {
    if (const LocalSize* local = FindLocal(expr)) return local->path;
    const auto found = paths_.find(&expr);
    return found == paths_.end() ? Path() : found->second;
  }

  static Path Extended(Path path, std::string_view part) {
    path.push_back(part);
    return path;
  }

  std::optional<CostRange> SizeOf(const Expr& expr) {
    if (const auto known = sizes_.find(&expr); known != sizes_.end()) return known->second;
    if (const auto size = LiteralSize(expr)) return size;
    if (const Path path = PathOf(expr); !path.empty()) {
      if (const auto limit = size_limit_(path)) {
        const CostRange size{0, *limit};
        sizes_[&expr] = size;
        return size;
      }
    }
    if (IsScalar(*expr.type)) return kUnit;
    const LocalSize* local = FindLocal(expr);
    return local == nullptr ? std::nullopt : local->size;
  }

  CostRange SizeOrUnknown(const Expr& expr) { return SizeOf(expr).value_or(CostRange::Unknown()); }

  void SetSize(const Expr& expr, const std::optional<CostRange>& size) {
    if (size) sizes_[&expr] = *size;
  }

  std::optional<EntrySizes> EntriesOf(const Expr& expr) const {
    if (const auto known = entries_.find(&expr); known != entries_.end()) return known->second;
    const LocalSize* local = FindLocal(expr);
    return local == nullptr ? std::nullopt : local->entries;
  }

  void SetEntries(const Expr& expr, const std::optional<EntrySizes>& entries) {
    if (entries) entries_[&expr] = *entries;
  }

  void SetUnionOfEntries(const Expr& expr, const Expr& a, const Expr& b) {
    const auto first = EntriesOf(a);
    const auto second = EntriesOf(b);
    if (!first || !second) return;
    SetEntries(expr, EntrySizes{first->is_list, first->key.Union(second->key),
                                first->value.Union(second->value)});
  }

  CostRange IdentCost(const Expr& expr) {
    const LocalSize* local = FindLocal(expr);
    paths_[&expr] = local != nullptr ? local->path : Path{expr.name};
    return kUnit;
  }

  CostRange SelectCost(const Expr& expr) {
    const CostRange cost = Cost(*expr.target);
    // A test for presence is free.
    if (expr.is_test) return cost;
    paths_[&expr] = Extended(PathOf(*expr.target), expr.name);
    const TypeKind kind = expr.target->type->kind;
    return kind == TypeKind::kMap || kind == TypeKind::kObject ? cost + kUnit : cost;
  }

  CostRange DynCost(const Expr& expr) {
    const Expr& arg = *expr.args[0];
    const CostRange cost = Cost(arg) + kUnit;
    SetSize(expr, SizeOf(arg));
    SetEntries(expr, EntriesOf(arg));
    return cost;
  }

  EstimatedNode NodeOf(const Expr& expr) {
    EstimatedNode node{.expr = &expr, .path = PathOf(expr), .size = SizeOf(expr)};
    if (!node.path.empty() && node.path[0] == kAccumulator) node.path.clear();
    return node;
  }

  CostRange CallCost(const Expr& call) {
    std::vector<EstimatedNode> args;
    std::vector<CostRange> arg_costs;
    CostRange arg_sum;
    for (const Expr* arg : call.args) {
      arg_costs.push_back(Cost(*arg));
      arg_sum = arg_sum + arg_costs.back();
      args.push_back(NodeOf(*arg));
    }
    if (call.name == operators::kAnd || call.name == operators::kOr) {
      return {arg_costs[0].min, arg_sum.max};
    }
    if (call.name == operators::kConditional) return ConditionalCost(call, arg_costs);
    CostRange cost;
    std::optional<EstimatedNode> target;
    if (call.target != nullptr) {
      cost = Cost(*call.target);
      target = NodeOf(*call.target);
    }
    CostRange call_cost{UINT64_MAX, 0};
    std::optional<CostRange> size;
    for (const Overload* overload : call.overloads) {
      const CallEstimate estimate =
          EstimateCall(*call.function, *overload, target ? &*target : nullptr, args, size_limit_);
      call_cost = call_cost.Union(estimate.cost + arg_sum);
      if (estimate.result_size)
        size = size ? size->Union(*estimate.result_size) : estimate.result_size;
      if (overload->id == "index_list") SetIndexed(call, "@items", size);
      if (overload->id == "index_map") SetIndexed(call, "@values", size);
      if (overload->id == "add_list" || overload->id == "add_string" ||
          overload->id == "add_bytes") {
        if (overload->id == "add_list")
          size = SizeOrUnknown(*call.args[0]) + SizeOrUnknown(*call.args[1]);
        SetUnionOfEntries(call, *call.args[0], *call.args[1]);
      }
      if (!size) size = SizeOf(call);
    }
    SetSize(call, size);
    return cost + call_cost;
  }

  void SetIndexed(const Expr& call, std::string_view part, std::optional<CostRange>& size) {
    const Expr& container = *call.args[0];
    const auto entries = EntriesOf(container);
    size = entries ? std::optional(entries->value) : std::nullopt;
    paths_[&call] = Extended(PathOf(container), part);
  }

  CostRange ConditionalCost(const Expr& call, const std::vector<CostRange>& costs) {
    SetSize(call, SizeOrUnknown(*call.args[1]).Union(SizeOrUnknown(*call.args[2])));
    SetUnionOfEntries(call, *call.args[1], *call.args[2]);
    return costs[0] + costs[1].Union(costs[2]);
  }

  CostRange ListCost(const Expr& list) {
    CostRange cost = CostRange::Exactly(kListCost);
    CostRange item{list.args.empty() ? 0 : UINT64_MAX, 0};
    for (const Expr* arg : list.args) {
      cost = cost + Cost(*arg);
      item = item.Union(SizeOrUnknown(*arg));
    }
    SetEntries(list, EntrySizes{true, kUnit, item});
    return cost;
  }

  CostRange MapCost(const Expr& map) {
    CostRange cost = CostRange::Exactly(kMapCost);
    CostRange key{map.args.empty() ? 0 : UINT64_MAX, 0};
    CostRange value = key;
    for (size_t i = 0; i < map.args.size(); i += 2) {
      cost = cost + Cost(*map.args[i]) + Cost(*map.args[i + 1]);
      key = key.Union(SizeOrUnknown(*map.args[i]));
      value = value.Union(SizeOrUnknown(*map.args[i + 1]));
    }
    SetEntries(map, EntrySizes{false, key, value});
    return cost;
  }

  void PushLocal(std::string_view name, LocalSize local) {
    locals_[name].push_back(std::move(local));
  }

  // Adds a variable for the keys or values of the range.
  void PushLoopVariable(std::string_view name, const Expr& range, bool two, bool is_second) {
    const auto entries = EntriesOf(range);
    const bool is_list = entries ? entries->is_list : range.type->kind == TypeKind::kList;
    const bool is_value = two ? is_second : is_list;
    std::string_view part = "@keys";
    if (is_value) {
      part = is_list ? "@items" : "@values";
    } else if (is_list) {
      part = "@indices";
    }
    std::optional<CostRange> size;
    if (entries) size = is_value ? entries->value : entries->key;
    PushLocal(name, {Extended(PathOf(range), part), size, std::nullopt});
  }

  CostRange LoopCost(const Expr& expr) {
    const Loop& loop = expr.loop;
    CostRange cost = Cost(*loop.range) + Cost(*loop.init);
    PushLocal(loop.accumulator, {PathOf(*loop.init), SizeOf(*loop.init), EntriesOf(*loop.init)});
    const bool two = !loop.variable2.empty();
    PushLoopVariable(loop.variable, *loop.range, two, false);
    if (two) PushLoopVariable(loop.variable2, *loop.range, two, true);
    const CostRange round = Cost(*loop.condition) + Cost(*loop.step);
    locals_[loop.variable].pop_back();
    if (two) locals_[loop.variable2].pop_back();
    cost = cost + Cost(*loop.result);
    locals_[loop.accumulator].pop_back();
    const CostRange rounds = SizeOrUnknown(*loop.range);
    if (loop.init->kind == ExprKind::kLiteral) {
      SetSize(expr, SizeOf(*loop.init));
    } else if (loop.init->kind == ExprKind::kList || loop.init->kind == ExprKind::kMap) {
      SetSize(expr, rounds);
      SetEntries(expr, EntriesOf(*loop.step));
    }
    return cost + rounds * round;
  }

  CostRange BindCost(const Expr& expr) {
    const Loop& loop = expr.loop;
    CostRange cost = Cost(*loop.range) + Cost(*loop.init);
    PushLocal(loop.accumulator, {PathOf(*loop.init), SizeOf(*loop.init), EntriesOf(*loop.init)});
    cost = cost + Cost(*loop.result);
    locals_[loop.accumulator].pop_back();
    SetSize(expr, SizeOf(*loop.result));
    SetEntries(expr, EntriesOf(*loop.result));
    return cost;
  }

  const SizeLimit& size_limit_;
  std::map<std::string_view, std::vector<LocalSize>> locals_;
  std::unordered_map<const Expr*, Path> paths_;
  std::unordered_map<const Expr*, CostRange> sizes_;
  std::unordered_map<const Expr*, EntrySizes> entries_;
};

}  // namespace

uint64_t EstimateCost(const Ast& ast, const SizeLimit& size_limit) {
  return Estimator(size_limit).Cost(*ast.root()).max;
}

}  // namespace berth::cel
