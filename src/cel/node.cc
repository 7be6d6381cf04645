#include "cel/node.h"

#include <array>
#include <functional>
#include <string>

#include "cel/containers.h"
#include "cel/cost.h"
#include "cel/equality.h"
#include "cel/numbers.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

// Errors of values that are no bool.
Value BoolOrError(const Value& value) {
  return value.is_error() ? value : Value::Error(kNoSuchOverload);
}

// Takes the value out of an element or entry that is marked with "?". Returns false if there is
// none, or sets `value` to an error.
bool UnwrapOptional(Evaluation& evaluation, Value& value, std::string_view what) {
  if (!value.is(Kind::kOptional)) {
    value = evaluation.FailWith("cannot initialize optional {} from non-optional value {}", what,
                                DescribeValue(value));
    return true;
  }
  if (value.optional() == nullptr) return false;
  value = *value.optional();
  return true;
}

}  // namespace

Value Logic::Evaluate(Evaluation& evaluation) const {
  const Value a = a_.Evaluate(evaluation);
  if (a.is(Kind::kBool) && a.boolean() != is_and_) return a;
  if (evaluation.aborted()) return a;
  const Value b = b_.Evaluate(evaluation);
  if (b.is(Kind::kBool) && b.boolean() != is_and_) return b;
  // The first error counts.
  if (!a.is(Kind::kBool)) return BoolOrError(a);
  if (!b.is(Kind::kBool)) return BoolOrError(b);
  return Value::Bool(is_and_);
}

Value Equals::Evaluate(Evaluation& evaluation) const {
  const Value a = a_.Evaluate(evaluation);
  const Value b = b_.Evaluate(evaluation);
  if (!evaluation.Charge(EqualityCost(a, b, negated_))) return a;
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  const Equality equality = Equal(evaluation, a, b);
  // A comparison that fails is unequal, though not equal either.
  if (negated_) return Value::Bool(equality != Equality::kTrue);
  if (equality == Equality::kError) return Value::Error(kNoSuchOverload);
  return Value::Bool(equality == Equality::kTrue);
}

FunctionCall::FunctionCall(const Function& function, const Overload* overload,
                           std::vector<const Node*> args, std::unique_ptr<const re2::RE2> pattern)
    : function_(function),
      overload_(overload),
      cost_(RuleFor(function, overload)),
      // With a pattern that is known, and where several overloads are tried, cel-go collects the
      // arguments in another way, which stops at an error.
      stops_at_error_(args.size() > 2 || pattern != nullptr ||
                      (overload != nullptr ? overload->stops_at_error
                                           : function.implementation() == nullptr &&
                                                 function.overloads().size() > 1)),
      takes_errors_(function.name() == operators::kNotStrictlyFalse),
      args_(std::move(args)),
      pattern_(std::move(pattern)) {}

Value FunctionCall::Evaluate(Evaluation& evaluation) const {
  std::array<Value, kMaxArgs> values;
  const Value* error = nullptr;
  for (size_t i = 0; i < args_.size(); ++i) {
    values[i] = args_[i]->Evaluate(evaluation);
    if (evaluation.aborted()) return values[i];
    if (!values[i].is_error() || error != nullptr || takes_errors_) continue;
    error = &values[i];
    // A call whose last arguments were not evaluated costs nothing.
    if (stops_at_error_ && i + 1 < args_.size()) return *error;
  }
  const std::span<const Value> args(values.data(), args_.size());
  // Some functions read all of a text for one unit.
  for (const Value& arg : args) evaluation.SpendOnText(arg);
  if (!evaluation.Charge(CallCost(evaluation, cost_, args))) return Value();
  if (error != nullptr) return *error;
  return Dispatch(function_, overload_, {evaluation, args, pattern_.get()});
}

Value NewList::Evaluate(Evaluation& evaluation) const {
  Value* items = nullptr;
  MakeList(evaluation.arena(), static_cast<uint32_t>(items_.size()), items);
  uint32_t size = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    Value value = items_[i]->Evaluate(evaluation);
    const bool is_present =
        value.is_error() || !optional_[i] || UnwrapOptional(evaluation, value, "list element");
    if (value.is_error() || evaluation.aborted()) {
      evaluation.Charge(kListCost);
      return value;
    }
    if (is_present) items[size++] = value;
  }
  evaluation.Charge(kListCost);
  return Value::List(evaluation.arena().New<ListData>(ListData{items, size, size}), size);
}

Value NewMap::Evaluate(Evaluation& evaluation) const {
  const Value map = Build(evaluation);
  evaluation.Charge(kMapCost);
  return map;
}

Value NewMap::Build(Evaluation& evaluation) const {
  MapBuilder map(evaluation.arena(), static_cast<uint32_t>(entries_.size() / 2));
  for (size_t i = 0; i < entries_.size(); i += 2) {
    const Value key = entries_[i]->Evaluate(evaluation);
    if (key.is_error() || evaluation.aborted()) return key;
    Value value = entries_[i + 1]->Evaluate(evaluation);
    if (value.is_error() || evaluation.aborted()) return value;
    if (!IsMapKey(key)) return evaluation.FailWith("unsupported key type: {}", key.type().name);
    const bool is_present = !optional_[i / 2] || UnwrapOptional(evaluation, value, "entry");
    if (value.is_error()) return value;
    if (is_present) {
      map.Set(key, value);
    } else {
      map.Remove(key);
    }
  }
  return map.Build();
}

Value LoopNode::Evaluate(Evaluation& evaluation) const {
  evaluation.SetLazyLocal(parts_.accumulator, *parts_.init);
  const Value range = parts_.range->Evaluate(evaluation);
  if (range.is_error() || evaluation.aborted()) return range;
  if (!range.is(Kind::kList) && !range.is(Kind::kMap)) {
    return evaluation.FailWith("got '{}', expected iterable type", range.type().name);
  }
  RunRounds(evaluation, range);
  const Value result = parts_.result->Evaluate(evaluation);
  // A list that grew in the loop is not a concatenation any more.
  if (result.is(Kind::kList)) return Value::List(result.list(), result.size());
  return result;
}

void LoopNode::RunRounds(Evaluation& evaluation, const Value& range) const {
  if (range.is(Kind::kMap)) {
    for (const MapEntry& entry : Entries(range)) {
      if (!Round(evaluation, entry.key, entry.value)) return;
    }
    return;
  }
  int64_t index = 0;
  for (const Value& item : range.items()) {
    const bool go_on = parts_.has_two_variables ? Round(evaluation, Value::Int(index++), item)
                                                : Round(evaluation, item, Value());
    if (!go_on) return;
  }
}

bool LoopNode::Round(Evaluation& evaluation, const Value& first, const Value& second) const {
  evaluation.SetLocal(parts_.variable, first);
  if (parts_.has_two_variables) evaluation.SetLocal(parts_.variable + 1, second);
  const Value condition = parts_.condition->Evaluate(evaluation);
  if (condition.is_false() || !evaluation.Spend(1)) return false;
  const Value value = parts_.step->Evaluate(evaluation);
  evaluation.SetLocal(parts_.accumulator, value);
  return !evaluation.aborted();
}

Value OptionalOr::Evaluate(Evaluation& evaluation) const {
  const Value a = a_.Evaluate(evaluation);
  if (a.is_error() || evaluation.aborted()) return a;
  if (!a.is(Kind::kOptional)) return Value::Error(kNoSuchOverload);
  if (a.optional() == nullptr) return b_.Evaluate(evaluation);
  return to_value_ ? *a.optional() : a;
}

std::unique_ptr<InSet> InSet::Make(const Node& value, const Value& list) {
  std::unique_ptr<InSet> node(new InSet(value));
  auto& set = node->set_;
  for (const Value& item : list.items()) {
    set.insert(item);
    switch (item.kind()) {
      case Kind::kBool:
      case Kind::kString:
        break;
      case Kind::kDouble:
        if (const auto number = ExactInt(item.floating())) set.insert(Value::Int(*number));
        if (const auto number = ExactUint(item.floating())) set.insert(Value::Uint(*number));
        break;
      case Kind::kInt:
        set.insert(Value::Double(static_cast<double>(item.integer())));
        if (item.integer() >= 0) set.insert(Value::Uint(static_cast<uint64_t>(item.integer())));
        break;
      case Kind::kUint:
        set.insert(Value::Double(static_cast<double>(item.unsigned_integer())));
        if (item.unsigned_integer() <= INT64_MAX) {
          set.insert(Value::Int(static_cast<int64_t>(item.unsigned_integer())));
        }
        break;
      default:
        return nullptr;
    }
  }
  return node;
}

Value InSet::Evaluate(Evaluation& evaluation) const {
  const Value value = value_.Evaluate(evaluation);
  switch (value.kind()) {
    case Kind::kError:
      return value;
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
      return Value::Bool(set_.contains(value));
    case Kind::kBytes:
    case Kind::kSemver:
    case Kind::kNamedFormat:
      // cel-go panics.
      evaluation.AbortWith(Evaluation::Abort::kInternal,
                           "internal error: runtime error: hash of unhashable type");
      return value;
    default:
      return Value::Bool(false);
  }
}

size_t InSet::Hash::operator()(const Value& value) const {
  if (value.is(Kind::kString)) return std::hash<std::string_view>()(value.text());
  if (value.is(Kind::kBool)) return value.boolean() ? 1 : 0;
  if (value.is(Kind::kDouble)) return std::hash<double>()(value.floating());
  return std::hash<int64_t>()(value.integer());
}

bool InSet::Same::operator()(const Value& a, const Value& b) const {
  if (a.kind() != b.kind()) return false;
  if (a.is(Kind::kString)) return a.text() == b.text();
  if (a.is(Kind::kBool)) return a.boolean() == b.boolean();
  if (a.is(Kind::kDouble)) return a.floating() == b.floating();
  return a.integer() == b.integer();
}

}  // namespace berth::cel
