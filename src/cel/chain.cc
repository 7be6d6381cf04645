#include "cel/chain.h"

#include <cstdint>
#include <optional>

#include "cel/containers.h"
#include "cel/numbers.h"

namespace berth::cel {
namespace {

enum class Found : uint8_t { kValue, kNothing, kError };

struct Selected {
  Found found;
  Value value;
};

// The error of a key that is absent but must be present.
Value MissingKey(Evaluation& evaluation, const Value& object, const Value& key) {
  if (object.is(Kind::kList)) {
    return evaluation.FailWith("index out of bounds: {}", DescribeValue(key));
  }
  if (!key.is(Kind::kString)) return evaluation.FailWith("no such key: {}", DescribeValue(key));
  return evaluation.FailWith("no such key: {}", key.text());
}

std::optional<int64_t> ListIndex(const Value& key) {
  switch (key.kind()) {
    case Kind::kInt:
      return key.integer();
    case Kind::kUint:
      if (key.unsigned_integer() > INT64_MAX) return std::nullopt;
      return static_cast<int64_t>(key.unsigned_integer());
    case Kind::kDouble:
      return ExactInt(key.floating());
    default:
      return std::nullopt;
  }
}

Selected Select(Evaluation& evaluation, const Value& object, const Value& key) {
  const bool is_key = key.is_number() || key.is(Kind::kString) || key.is(Kind::kBool);
  if (!is_key) {
    return {Found::kError, evaluation.FailWith("invalid qualifier type: {}", key.type().name)};
  }
  if (object.is(Kind::kMap)) {
    evaluation.SpendOnText(key);
    const Value* value = LookUp(object, key);
    if (value == nullptr) return {Found::kNothing, {}};
    return {Found::kValue, *value};
  }
  if (!object.is(Kind::kList)) return {Found::kNothing, {}};
  const auto index = ListIndex(key);
  if (!index) {
    return {Found::kError,
            evaluation.FailWith("unsupported index type '{}' in list", key.type().name)};
  }
  if (*index < 0 || *index >= static_cast<int64_t>(object.size())) return {Found::kNothing, {}};
  return {Found::kValue, object.items()[static_cast<size_t>(*index)]};
}

}  // namespace

Chain Chain::OfNode(const Node& node) {
  Chain chain(Root::kNode, 0);
  chain.node_ = &node;
  return chain;
}

Chain Chain::OfConditional(const Node& condition, Chain& yes, Chain& no) {
  Chain chain(Root::kConditional, 0);
  chain.node_ = &condition;
  chain.yes_ = &yes;
  chain.no_ = &no;
  return chain;
}

void Chain::Append(const Selector& selector) {
  is_test_ |= selector.is_test;
  if (root_ == Root::kConditional) {
    yes_->Append(selector);
    no_->Append(selector);
  } else {
    selectors_.push_back(selector);
  }
}

Value Chain::Evaluate(Evaluation& evaluation) const {
  const Value value = Resolve(evaluation);
  // A test for presence gets the unit for the chain back, which a conditional never paid.
  if (root_ != Root::kConditional && !is_test_) {
    evaluation.Charge(1);
  } else if (root_ == Root::kConditional && is_test_) {
    evaluation.Refund();
  }
  return value;
}

Value Chain::Resolve(Evaluation& evaluation) const {
  if (root_ == Root::kConditional) return ResolveBranch(evaluation);
  const Value value = EvaluateRoot(evaluation);
  if (value.is_error() || selectors_.empty() || evaluation.aborted()) return value;
  return ApplySelectors(evaluation, value);
}

Value Chain::EvaluateRoot(Evaluation& evaluation) const {
  switch (root_) {
    case Root::kVariable:
      return evaluation.variable(slot_);
    case Root::kLocal:
      return evaluation.ReadLocal(slot_);
    default:
      return node_->Evaluate(evaluation);
  }
}

Value Chain::ResolveBranch(Evaluation& evaluation) const {
  const Value condition = node_->Evaluate(evaluation);
  if (condition.is_error()) return condition;
  if (!condition.is(Kind::kBool)) return Value::Error(kNoSuchOverload);
  return (condition.boolean() ? yes_ : no_)->Resolve(evaluation);
}

Value Chain::EvaluateKey(Evaluation& evaluation, const Selector& selector) {
  if (selector.chain_index != nullptr) return selector.chain_index->Resolve(evaluation);
  return selector.index != nullptr ? selector.index->Evaluate(evaluation) : selector.key;
}

Value Chain::ApplySelectors(Evaluation& evaluation, Value value) const {
  bool is_optional = false;
  if (value.is(Kind::kOptional)) {
    if (value.optional() == nullptr) return value;
    value = *value.optional();
    is_optional = true;
  }
  for (const Selector& selector : selectors_) {
    const Value key = EvaluateKey(evaluation, selector);
    const Selected selected =
        key.is_error() ? Selected{Found::kError, key} : Select(evaluation, value, key);
    is_optional |= selector.is_optional;
    // Of optional selectors, only those that find something are charged.
    const bool charged = !is_optional || selected.found == Found::kValue;
    if (charged && !evaluation.Charge(1)) return value;
    if (selected.found == Found::kError) return selected.value;
    const bool is_present = selected.found == Found::kValue;
    if (selector.is_test) return Value::Bool(is_present);
    if (!is_present) {
      return is_optional ? Value::Optional(nullptr) : MissingKey(evaluation, value, key);
    }
    value = selected.value;
    // Input that does not have its declared type.
    if (value.is_error()) [[unlikely]]
      return value;
  }
  return is_optional ? evaluation.NewOptional(value) : value;
}

}  // namespace berth::cel
