// Functions of lists: Kubernetes' list library, version 3 of cel-go's, and sets.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "cel/arithmetic.h"
#include "cel/containers.h"
#include "cel/cost.h"
#include "cel/equality.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

Value ListOf(const Call& call, std::span<const Value> items) {
  if (!call.evaluation.Reserve(items.size_bytes())) return call[0];
  return MakeList(call.evaluation.arena(), items);
}

Value IsSorted(const Call& call) {
  const auto items = call[0].items();
  for (size_t i = 1; i < items.size(); ++i) {
    const Value order = Compare(items[i - 1], items[i]);
    if (!order.is_error() && order.integer() > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

Value SumFrom(const Call& call, Value sum) {
  for (const Value& item : call[0].items()) {
    const std::array<Value, 2> args{sum, item};
    sum = Add({call.evaluation, args});
    if (sum.is_error()) return sum;
  }
  return sum;
}

Value SumInts(const Call& call) { return SumFrom(call, Value::Int(0)); }
Value SumUints(const Call& call) { return SumFrom(call, Value::Uint(0)); }
Value SumDoubles(const Call& call) { return SumFrom(call, Value::Double(0)); }
Value SumDurations(const Call& call) { return SumFrom(call, Value::Duration(0)); }

// Returns the item that no other one is beyond, in the direction of `sign`.
Value Extreme(const Call& call, std::string_view name, int64_t sign) {
  const auto items = call[0].items();
  if (items.empty()) return call.evaluation.FailWith("{} called on empty list", name);
  Value result = items[0];
  for (const Value& item : items.subspan(1)) {
    const Value order = Compare(result, item);
    if (!order.is_error() && order.integer() == -sign) result = item;
  }
  return result;
}

Value Min(const Call& call) { return Extreme(call, "min", -1); }
Value Max(const Call& call) { return Extreme(call, "max", 1); }

Value ItemIndex(const Call& call) {
  const auto items = call[0].items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (EqualValues(call.evaluation, items[i], call[1]) == Equality::kTrue) {
      return Value::Int(static_cast<int64_t>(i));
    }
  }
  return Value::Int(-1);
}

Value LastItemIndex(const Call& call) {
  const auto items = call[0].items();
  for (size_t i = items.size(); i-- > 0;) {
    if (EqualValues(call.evaluation, items[i], call[1]) == Equality::kTrue) {
      return Value::Int(static_cast<int64_t>(i));
    }
  }
  return Value::Int(-1);
}

Value Slice(const Call& call) {
  const int64_t start = call[1].integer();
  const int64_t end = call[2].integer();
  if (start < 0 || end < 0) {
    return call.evaluation.FailWith("cannot slice({}, {}), negative indexes not supported", start,
                                    end);
  }
  if (start > end) {
    return call.evaluation.FailWith(
        "cannot slice({}, {}), start index must be less than or equal to end index", start, end);
  }
  if (end > static_cast<int64_t>(call[0].size())) {
    return call.evaluation.FailWith("cannot slice({}, {}), list is length {}", start, end,
                                    call[0].size());
  }
  return ListOf(
      call, call[0].items().subspan(static_cast<size_t>(start), static_cast<size_t>(end - start)));
}

// Returns false if the evaluation was aborted.
bool FlattenInto(Evaluation& evaluation, const Value& list, int64_t depth,
                 std::vector<Value>& flat) {
  for (const Value& item : list.items()) {
    if (!evaluation.Spend(1)) return false;
    if (depth > 0 && item.is(Kind::kList)) {
      if (!FlattenInto(evaluation, item, depth - 1, flat)) return false;
      continue;
    }
    if (!evaluation.Reserve((flat.size() + 1) * sizeof(Value))) return false;
    flat.push_back(item);
  }
  return true;
}

Value Flatten(const Call& call) {
  if (!call[0].is(Kind::kList) || (call.args.size() > 1 && !call[1].is(Kind::kInt))) {
    return Value::Error("no such overload: flatten");
  }
  const int64_t depth = call.args.size() > 1 ? call[1].integer() : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  std::vector<Value> flat;
  FlattenInto(call.evaluation, call[0], depth, flat);
  return ListOf(call, flat);
}

Value SortByKeys(const Call& call, const Value& list, const Value& keys) {
  if (list.size() != keys.size()) {
    return call.evaluation.FailWith(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
        "but got {} and {} elements respectively",
        list.size(), keys.size());
  }
  if (list.size() == 0) return list;
  const Kind kind = keys.items()[0].kind();
  for (const Value& key : keys.items()) {
    if (key.kind() != kind) return Value::Error("list elements must have the same type");
    const bool unordered = Compare(key, key).is_error();
    if (unordered && !key.is(Kind::kDouble)) {
      return Value::Error("list elements must be comparable");
    }
  }
  std::vector<uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0U);
  // NaN has no place in an order; first is as good as any.
  const auto is_nan = [](const Value& key) { return Compare(key, key).is_error(); };
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    const Value& left = keys.items()[a];
    const Value& right = keys.items()[b];
    if (is_nan(left) || is_nan(right)) return is_nan(left) && !is_nan(right);
    return Compare(left, right).integer() < 0;
  });
  std::vector<Value> sorted;
  sorted.reserve(order.size());
  for (const uint32_t index : order) sorted.push_back(list.items()[index]);
  return ListOf(call, sorted);
}

Value Sort(const Call& call) {
  if (!call[0].is(Kind::kList)) return Value::Error("no such overload: sort");
  return SortByKeys(call, call[0], call[0]);
}

Value SortBy(const Call& call) {
  if (!call[0].is(Kind::kList) || !call[1].is(Kind::kList)) return Value::Error(kNoSuchOverload);
  return SortByKeys(call, call[0], call[1]);
}

Value Range(const Call& call) {
  // The cost was paid, so the list is not longer than its limit.
  const auto count = static_cast<uint64_t>(std::max<int64_t>(call[0].integer(), 0));
  if (!call.evaluation.Reserve(count * sizeof(Value))) return call[0];
  Value* items = nullptr;
  const Value list = MakeList(call.evaluation.arena(), static_cast<uint32_t>(count), items);
  for (uint64_t i = 0; i < count; ++i) items[i] = Value::Int(static_cast<int64_t>(i));
  return list;
}

Value Reverse(const Call& call) {
  const auto items = call[0].items();
  const std::vector<Value> reversed(items.rbegin(), items.rend());
  return ListOf(call, reversed);
}

Value Distinct(const Call& call) {
  std::vector<Value> distinct;
  for (const Value& item : call[0].items()) {
    const bool seen = std::ranges::any_of(distinct, [&](const Value& other) {
      return EqualValues(call.evaluation, item, other) == Equality::kTrue;
    });
    if (call.evaluation.aborted()) break;
    if (!seen) distinct.push_back(item);
  }
  return ListOf(call, distinct);
}

bool ContainsAll(Evaluation& evaluation, const Value& list, const Value& items) {
  return std::ranges::all_of(
      items.items(), [&](const Value& item) { return ListContains(evaluation, list, item); });
}

Value SetsContains(const Call& call) {
  return Value::Bool(ContainsAll(call.evaluation, call[0], call[1]));
}

Value SetsEquivalent(const Call& call) {
  return Value::Bool(ContainsAll(call.evaluation, call[0], call[1]) &&
                     ContainsAll(call.evaluation, call[1], call[0]));
}

Value SetsIntersects(const Call& call) {
  return Value::Bool(std::ranges::any_of(call[0].items(), [&](const Value& item) {
    return ListContains(call.evaluation, call[1], item);
  }));
}

Value Includes(const Call& call) {
  if (!call[0].is(Kind::kList)) {
    return Value::Bool(EqualValues(call.evaluation, call[0], call[1]) == Equality::kTrue);
  }
  uint64_t count = 0;
  for (const Value& item : call[0].items()) {
    if (++count > kMaxIncludesItems) {
      return call.evaluation.FailWith(
          "'includes' function cannot be applied to lists longer than {} values",
          kMaxIncludesItems);
    }
    if (EqualValues(call.evaluation, item, call[1]) == Equality::kTrue) return Value::Bool(true);
  }
  return Value::Bool(false);
}

void AddKubernetesLists(Environment& environment, std::span<const Type* const> comparable) {
  TypePool& types = environment.types();
  const Type* const list = types.List(environment.A());
  Function& is_sorted = environment.Define("isSorted").Costs(CostRule::kTraverse);
  Function& min = environment.Define("min").Costs(CostRule::kTraverse);
  Function& max = environment.Define("max").Costs(CostRule::kTraverse);
  for (const Type* item : comparable) {
    is_sorted.Member("list_is_sorted", {types.List(item)}, &kBoolType, IsSorted);
    min.Member("list_min", {types.List(item)}, item, Min);
    max.Member("list_max", {types.List(item)}, item, Max);
  }
  environment.Define("sum")
      .Costs(CostRule::kTraverse)
      .Member("list_int_sum_int", {types.List(&kIntType)}, &kIntType, SumInts)
      .Member("list_uint_sum_uint", {types.List(&kUintType)}, &kUintType, SumUints)
      .Member("list_double_sum_double", {types.List(&kDoubleType)}, &kDoubleType, SumDoubles)
      .Member("list_duration_sum_duration", {types.List(&kDurationType)}, &kDurationType,
              SumDurations);
  environment.Define("indexOf").Member("list_a_index_of_int", {list, environment.A()}, &kIntType,
                                       ItemIndex);
  environment.Define("lastIndexOf")
      .Member("list_a_last_index_of_int", {list, environment.A()}, &kIntType, LastItemIndex);
}

}  // namespace

void AddListFunctions(Environment& environment) {
  TypePool& types = environment.types();
  const Type* const list = types.List(environment.A());
  const std::array<const Type*, 8> comparable = {&kIntType,    &kUintType,     &kDoubleType,
                                                 &kBoolType,   &kDurationType, &kTimestampType,
                                                 &kStringType, &kBytesType};
  AddKubernetesLists(environment, comparable);
  environment.Define("slice").Member("list_slice", {list, &kIntType, &kIntType}, list, Slice,
                                     CostRule::kSlice);
  const Type* const nested = types.List(list);
  const Type* const dynamic = types.List(&kDynType);
  // Lists of anything at run time: what is no list is kept as it is.
  environment.Define("flatten")
      .Runs(Flatten)
      .Member("list_flatten", {nested}, list, nullptr, CostRule::kFlatten)
      .Member("list_flatten_int", {dynamic, &kIntType}, dynamic, nullptr, CostRule::kFlatten);
  Function& sort = environment.Define("sort").Runs(Sort);
  Function& sort_by = environment.Define(operators::kSortByKeys).Runs(SortBy);
  for (const Type* item : comparable) {
    const Type* const keys = types.List(item);
    sort.Member("list_sort", {keys}, keys, nullptr, CostRule::kSort);
    sort_by.Member("list_sortByAssociatedKeys", {list, keys}, list, nullptr, CostRule::kSortBy);
  }
  environment.Define("lists.range")
      .Global("lists_range", {&kIntType}, types.List(&kIntType), Range, CostRule::kRange);
  environment.Define("reverse").Member("list_reverse", {list}, list, Reverse, CostRule::kReverse);
  environment.Define("distinct")
      .Member("list_distinct", {list}, list, Distinct, CostRule::kDistinct);
  environment.Define("sets.contains")
      .Global("list_sets_contains_list", {list, list}, &kBoolType, SetsContains, CostRule::kSets);
  environment.Define("sets.intersects")
      .Global("list_sets_intersects_list", {list, list}, &kBoolType, SetsIntersects,
              CostRule::kSets);
  environment.Define("sets.equivalent")
      .Global("list_sets_equivalent_list", {list, list}, &kBoolType, SetsEquivalent,
              CostRule::kSetsTwice);
}

void AddIncludes(Environment& environment) {
  environment.Define("includes")
      .Costs(CostRule::kIncludes)
      .Member("list_includes_dyn_dyn", {&kDynType, &kDynType}, &kBoolType, Includes);
}

}  // namespace berth::cel
