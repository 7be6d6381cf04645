// Unification finds types for the type parameters of declarations: for `[] + [1]` it finds that the
// list is one of integers.
//
// Failed attempts leave no trace. The work for one expression is limited (kMaxTypeSteps).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cel/type.h"

namespace berth::cel {

class Unification {
 public:
  explicit Unification(TypePool& types) : types_(types) {}

  // Reports whether a value of type `from` may stand where `to` is expected, or the other way
  // round; if so, binds type parameters of both.
  bool IsAssignable(const Type* from, const Type* to);
  // Likewise for each pair; all or nothing is bound.
  bool AreAssignable(std::span<const Type* const> from, std::span<const Type* const> to);

  // Replaces bound type parameters, and with `unbound_to_dyn` the others as well.
  const Type* Substitute(const Type* type, bool unbound_to_dyn);
  // A type parameter that no type has yet.
  const Type* NewParameter();
  // Replaces the type parameters of a declaration, A and B, by new ones.
  const Type* Instantiate(const Type* type, const Type* a, const Type* b);

  // Returns the more general of two types that are assignable.
  const Type* MostGeneral(const Type* a, const Type* b);

  // Whether the expression needs more work than it may.
  bool exhausted() const { return steps_ > kMaxSteps; }

 private:
  static const uint64_t kMaxSteps;

  bool Step() { return ++steps_ <= kMaxSteps; }
  bool Assign(const Type* from, const Type* to);
  enum class Binding : uint8_t { kPossible, kImpossible, kContradiction };
  // Binds `parameter` to `type`, or compares it with what it is bound to.
  Binding Bind(const Type* type, const Type* parameter);
  bool IsEqualOrLessSpecific(const Type* a, const Type* b);
  // Reports whether `parameter` occurs in `type`.
  bool Occurs(const Type* parameter, const Type* type);
  const Type* Bound(const Type* parameter) const;
  void SetBound(const Type* parameter, const Type* type);
  const Type* Rebuild(const Type* type, const Type* first, const Type* second);

  TypePool& types_;
  std::vector<const Type*> bound_;  // By id; nullptr if unbound.
  std::vector<std::pair<uint32_t, const Type*>> undo_;
  uint32_t next_id_ = 2;
  uint64_t steps_ = 0;
};

}  // namespace berth::cel
