#include "cel/unification.h"

#include "cel/limits.h"

namespace berth::cel {
namespace {

bool IsNullable(const Type& type) {
  switch (type.kind) {
    case TypeKind::kNull:
    case TypeKind::kObject:
    case TypeKind::kOpaque:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
      return true;
    default:
      return false;
  }
}

bool AgreesWithAll(const Type& type) { return type.is_dynamic() || type.kind == TypeKind::kError; }

}  // namespace

const uint64_t Unification::kMaxSteps = kMaxTypeSteps;

bool Unification::IsAssignable(const Type* from, const Type* to) {
  return AreAssignable({&from, 1}, {&to, 1});
}

bool Unification::AreAssignable(std::span<const Type* const> from,
                                std::span<const Type* const> to) {
  if (from.size() != to.size()) return false;
  undo_.clear();
  for (size_t i = 0; i < from.size(); ++i) {
    if (Assign(from[i], to[i])) continue;
    for (auto change = undo_.rbegin(); change != undo_.rend(); ++change) {
      bound_[change->first] = change->second;
    }
    return false;
  }
  return true;
}

bool Unification::Assign(const Type* from, const Type* to) {
  if (!Step()) return false;
  if (from == to && !from->has_type_parameters) return true;
  if (to->kind == TypeKind::kParameter) {
    const Binding binding = Bind(from, to);
    if (binding == Binding::kPossible) return true;
    if (binding == Binding::kContradiction) return false;
  }
  if (from->kind == TypeKind::kParameter) return Bind(to, from) == Binding::kPossible;
  if (AgreesWithAll(*from) || AgreesWithAll(*to)) return true;
  if (from->kind == TypeKind::kNull) return IsNullable(*to);
  if (to->kind == TypeKind::kNull) return IsNullable(*from);
  if (from->kind != to->kind) return false;
  if (from->kind == TypeKind::kType) return true;
  if (from->name != to->name || from->parameter_count != to->parameter_count) return false;
  for (size_t i = 0; i < from->parameter_count; ++i) {
    if (!Assign(from->parameter[i], to->parameter[i])) return false;
  }
  return true;
}

Unification::Binding Unification::Bind(const Type* type, const Type* parameter) {
  if (type == parameter) return Binding::kPossible;
  if (const Type* bound = Bound(parameter)) {
    if (type == bound) return Binding::kPossible;
    if (!Assign(type, bound)) return Binding::kContradiction;
    const Type* general = MostGeneral(type, bound);
    if (!Occurs(parameter, general)) SetBound(parameter, general);
    return Binding::kPossible;
  }
  if (Occurs(parameter, type)) return Binding::kImpossible;
  SetBound(parameter, type);
  return Binding::kPossible;
}

bool Unification::IsEqualOrLessSpecific(const Type* a, const Type* b) {
  if (!Step()) return false;
  if (a->is_dynamic() || a->kind == TypeKind::kParameter) return true;
  if (b->is_dynamic() || b->kind == TypeKind::kParameter) return false;
  if (a->kind != b->kind) return false;
  if (a->kind == TypeKind::kType) return true;
  if (a->name != b->name || a->parameter_count != b->parameter_count) return false;
  for (size_t i = 0; i < a->parameter_count; ++i) {
    if (!IsEqualOrLessSpecific(a->parameter[i], b->parameter[i])) return false;
  }
  return true;
}

const Type* Unification::MostGeneral(const Type* a, const Type* b) {
  return IsEqualOrLessSpecific(a, b) ? a : b;
}

bool Unification::Occurs(const Type* parameter, const Type* type) {
  if (!Step()) return true;
  if (type == parameter) return true;
  if (!type->has_type_parameters) return false;
  if (type->kind == TypeKind::kParameter) {
    const Type* bound = Bound(type);
    return bound != nullptr && Occurs(parameter, bound);
  }
  for (const Type* part : type->parameters()) {
    if (Occurs(parameter, part)) return true;
  }
  return false;
}

const Type* Unification::Bound(const Type* parameter) const {
  return parameter->id < bound_.size() ? bound_[parameter->id] : nullptr;
}

void Unification::SetBound(const Type* parameter, const Type* type) {
  if (bound_.size() <= parameter->id) bound_.resize(parameter->id + 1);
  undo_.emplace_back(parameter->id, bound_[parameter->id]);
  bound_[parameter->id] = type;
}

const Type* Unification::NewParameter() { return types_.Parameter(next_id_++, "_var"); }

const Type* Unification::Rebuild(const Type* type, const Type* first, const Type* second) {
  switch (type->kind) {
    case TypeKind::kList:
      return types_.List(first);
    case TypeKind::kMap:
      return types_.Map(first, second);
    case TypeKind::kType:
      return types_.TypeOf(first);
    default:
      return types_.Optional(first);
  }
}

const Type* Unification::Substitute(const Type* type, bool unbound_to_dyn) {
  if (!type->has_type_parameters) return type;
  if (!Step()) return &kErrorType;
  if (type->kind == TypeKind::kParameter) {
    if (const Type* bound = Bound(type)) return Substitute(bound, unbound_to_dyn);
    return unbound_to_dyn ? &kDynType : type;
  }
  const Type* parts[2] = {nullptr, nullptr};
  for (size_t i = 0; i < type->parameter_count; ++i) {
    parts[i] = Substitute(type->parameter[i], unbound_to_dyn);
  }
  const Type* rebuilt = Rebuild(type, parts[0], parts[1]);
  // So large a type cannot be compared with others any more.
  if (rebuilt->nodes > kMaxTypeNodes) {
    steps_ = kMaxSteps + 1;
    return &kErrorType;
  }
  return rebuilt;
}

const Type* Unification::Instantiate(const Type* type, const Type* a, const Type* b) {
  if (!type->has_type_parameters) return type;
  if (type->kind == TypeKind::kParameter) return type->id == 0 ? a : b;
  const Type* parts[2] = {nullptr, nullptr};
  for (size_t i = 0; i < type->parameter_count; ++i) {
    parts[i] = Instantiate(type->parameter[i], a, b);
  }
  return Rebuild(type, parts[0], parts[1]);
}

}  // namespace berth::cel
