// What an expression may cost. Expressions come from users, so everything that compiling or
// evaluating one does is bounded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::cel {

// cel-go's parser and Kubernetes set these; an expression beyond them fails there, too.

// Code points of an expression.
inline constexpr size_t kMaxCodePoints = 100'000;
// Nesting of each rule of the grammar, and of operators, selectors and calls together.
inline constexpr int kMaxNesting = 250;
// Bytes of a device selector, which the API server checks; a stored one may be longer.
inline constexpr size_t kMaxSelectorBytes = 10 * 1024;
// Cost units of one evaluation of a device selector.
inline constexpr uint64_t kMaxSelectorCost = 1'000'000;

// DIFFERS: cel-go has no such limits. They are far beyond what an expression of 10 KiB needs unless
// it was written to exhaust something: macros can double an expression, types and values can grow
// exponentially with it, all at a cost of a few units.

// Nodes of an expression after macros are expanded. One code point makes one node at most, except
// in macros that repeat their operand.
inline constexpr size_t kMaxNodes = 100'000;
// Depth of the tree after macros are expanded: each recursion over it fits into a small stack.
inline constexpr int kMaxTreeDepth = 2'000;
// Names in a type written out: map(string, int) has three. Nested literals have two for each level.
inline constexpr uint32_t kMaxTypeNodes = 1'000;
// Comparisons of types in one compilation: 20 for each node of the largest expression.
inline constexpr uint64_t kMaxTypeSteps = 2'000'000;
// Bytes that one evaluation may allocate: strings that are charged 0.1 units for each code point
// need a tenth of it for a million units.
inline constexpr size_t kMaxEvaluationBytes = size_t{64} << 20;
// Elements and bytes that operations look at without being charged for it: about 0.1 seconds.
inline constexpr uint64_t kMaxEvaluationSteps = 20'000'000;
// Memory of one compiled regular expression, and of what it remembers between matches.
inline constexpr int64_t kMaxRegexBytes = int64_t{2} << 20;

}  // namespace berth::cel
