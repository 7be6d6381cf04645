#include "cel/equality.h"

#include <algorithm>
#include <tuple>

#include "api/quantity.h"
#include "base/semantic_version.h"
#include "cel/containers.h"
#include "cel/identified_lists.h"
#include "cel/named_format.h"
#include "cel/numbers.h"
#include "cel/url.h"

namespace berth::cel {
namespace {

Equality Answer(bool equal) { return equal ? Equality::kTrue : Equality::kFalse; }

Equality EqualLists(Evaluation& evaluation, const Value& a, const Value& b) {
  if (a.size() != b.size()) return Equality::kFalse;
  bool failed = false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Equality equal = Equal(evaluation, a.items()[i], b.items()[i]);
    if (equal == Equality::kFalse || evaluation.aborted()) return Equality::kFalse;
    failed |= equal == Equality::kError;
  }
  // Only lists that were concatenated tell.
  return failed && a.is_concatenation() ? Equality::kError : Equality::kTrue;
}

Equality EqualMaps(Evaluation& evaluation, const Value& a, const Value& b) {
  if (a.size() != b.size()) return Equality::kFalse;
  for (const MapEntry& entry : Entries(a)) {
    const Value* other = LookUp(b, entry.key);
    if (other == nullptr) return Equality::kFalse;
    if (Equal(evaluation, entry.value, *other) == Equality::kFalse || evaluation.aborted()) {
      return Equality::kFalse;
    }
  }
  return Equality::kTrue;
}

Equality EqualOptionals(Evaluation& evaluation, const Value& a, const Value& b) {
  if (a.optional() == nullptr || b.optional() == nullptr) {
    return Answer(a.optional() == b.optional());
  }
  return EqualValues(evaluation, *a.optional(), *b.optional());
}

// Compares values of the same kind that are no numbers.
Equality EqualSameKind(Evaluation& evaluation, const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::kNull:
      return Equality::kTrue;
    case Kind::kBool:
      return Answer(a.boolean() == b.boolean());
    case Kind::kString:
    case Kind::kBytes:
      return Answer(a.text().size() == b.text().size() && evaluation.SpendOnText(a) &&
                    a.text() == b.text());
    case Kind::kDuration:
      return Answer(a.nanos() == b.nanos());
    case Kind::kTimestamp:
      return Answer(a.timestamp().seconds == b.timestamp().seconds &&
                    a.timestamp().nanos == b.timestamp().nanos);
    case Kind::kType:
      return Answer(a.type_value().name == b.type_value().name);
    case Kind::kList:
      return a.list()->identity != nullptr ? EqualIdentified(evaluation, a, b)
                                           : EqualLists(evaluation, a, b);
    case Kind::kMap:
      return EqualMaps(evaluation, a, b);
    case Kind::kOptional:
      return EqualOptionals(evaluation, a, b);
    case Kind::kQuantity:
      return b.is_sum() ? Equality::kError : Answer(a.quantity() == b.quantity());
    case Kind::kSemver:
      return Answer(a.semver() == b.semver());
    case Kind::kUrl:
      return Answer(a.url().ToString() == b.url().ToString());
    case Kind::kIp:
    case Kind::kCidr:
      return Answer(a.address() == b.address());
    case Kind::kNamedFormat:
      return Answer(a.named_format().name == b.named_format().name);
    case Kind::kHidden:
      return Answer(a.hidden().Equals(b.hidden(), evaluation));
    default:
      return Equality::kError;
  }
}

// Reports whether a comparison of this kind with another kind is an error instead of false.
bool IsKubernetesKind(Kind kind) {
  switch (kind) {
    case Kind::kQuantity:
    case Kind::kSemver:
    case Kind::kUrl:
    case Kind::kIp:
    case Kind::kCidr:
    case Kind::kNamedFormat:
      return true;
    default:
      return false;
  }
}

Value Order(std::partial_ordering order) {
  if (order == std::partial_ordering::unordered) {
    return Value::Error("NaN values cannot be ordered");
  }
  return Value::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}

}  // namespace

Equality Equal(Evaluation& evaluation, const Value& a, const Value& b) {
  if (a.is(Kind::kNull) || b.is(Kind::kNull)) return Answer(a.kind() == b.kind());
  return EqualValues(evaluation, a, b);
}

Equality EqualValues(Evaluation& evaluation, const Value& a, const Value& b) {
  if (!evaluation.Spend(1)) return Equality::kFalse;
  if (a.is_number() && b.is_number()) {
    return Answer(CompareNumbers(a, b) == std::partial_ordering::equivalent);
  }
  if (a.kind() == b.kind()) return EqualSameKind(evaluation, a, b);
  return IsKubernetesKind(a.kind()) ? Equality::kError : Equality::kFalse;
}

bool ListContains(Evaluation& evaluation, const Value& list, const Value& value) {
  for (const Value& item : list.items()) {
    if (EqualValues(evaluation, value, item) == Equality::kTrue) return true;
    if (evaluation.aborted()) return false;
  }
  return false;
}

Value Compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return Order(CompareNumbers(a, b));
  if (a.kind() != b.kind()) return Value::Error(kNoSuchOverload);
  switch (a.kind()) {
    case Kind::kBool:
      return Order(a.boolean() <=> b.boolean());
    case Kind::kString:
    case Kind::kBytes:
      return Order(a.text() <=> b.text());
    case Kind::kDuration:
      return Order(a.nanos() <=> b.nanos());
    case Kind::kTimestamp:
      return Order(std::tuple(a.timestamp().seconds, a.timestamp().nanos) <=>
                   std::tuple(b.timestamp().seconds, b.timestamp().nanos));
    default:
      return Value::Error(kNoSuchOverload);
  }
}

}  // namespace berth::cel
