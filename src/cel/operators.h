// The names of the functions that operators and macros stand for. Error messages show them.
#pragma once

#include <string_view>

namespace berth::cel {
namespace operators {

inline constexpr std::string_view kConditional = "_?_:_";
inline constexpr std::string_view kOr = "_||_";
inline constexpr std::string_view kAnd = "_&&_";
inline constexpr std::string_view kNot = "!_";
inline constexpr std::string_view kNegate = "-_";
inline constexpr std::string_view kEquals = "_==_";
inline constexpr std::string_view kNotEquals = "_!=_";
inline constexpr std::string_view kLess = "_<_";
inline constexpr std::string_view kLessEquals = "_<=_";
inline constexpr std::string_view kGreater = "_>_";
inline constexpr std::string_view kGreaterEquals = "_>=_";
inline constexpr std::string_view kIn = "@in";
inline constexpr std::string_view kAdd = "_+_";
inline constexpr std::string_view kSubtract = "_-_";
inline constexpr std::string_view kMultiply = "_*_";
inline constexpr std::string_view kDivide = "_/_";
inline constexpr std::string_view kModulo = "_%_";
inline constexpr std::string_view kIndex = "_[_]";
inline constexpr std::string_view kOptionalIndex = "_[?_]";
inline constexpr std::string_view kOptionalSelect = "_?._";
inline constexpr std::string_view kNotStrictlyFalse = "@not_strictly_false";
inline constexpr std::string_view kMapInsert = "cel.@mapInsert";
inline constexpr std::string_view kSortByKeys = "@sortByAssociatedKeys";
inline constexpr std::string_view kOptionalOf = "optional.of";
inline constexpr std::string_view kOptionalNone = "optional.none";
inline constexpr std::string_view kHasValue = "hasValue";
inline constexpr std::string_view kOptionalValue = "value";
inline constexpr std::string_view kOptionalOr = "or";
inline constexpr std::string_view kOptionalOrValue = "orValue";

}  // namespace operators
}  // namespace berth::cel
