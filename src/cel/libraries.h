// The function libraries of Kubernetes' CEL environment. Each adds the declarations and
// implementations of one family of functions.
#pragma once

#include "cel/environment.h"

namespace berth::cel {

// Operators, size, and the functions that macros expand to.
void AddOperators(Environment& environment);
// bool, bytes, double, duration, dyn, int, string, timestamp, type and uint.
void AddConversions(Environment& environment);
// Parts of timestamps and durations.
void AddTimeFunctions(Environment& environment);
// The standard functions of strings, and version 2 of cel-go's string library.
void AddStringFunctions(Environment& environment);
// "...".format([...])
void AddFormatFunction(Environment& environment);
// matches, find and findAll.
void AddRegexFunctions(Environment& environment);
// Kubernetes' list library, version 3 of cel-go's, and sets.
void AddListFunctions(Environment& environment);
void AddOptionalFunctions(Environment& environment);
void AddQuantityFunctions(Environment& environment);
void AddSemverFunctions(Environment& environment);
void AddUrlFunctions(Environment& environment);
void AddNetworkFunctions(Environment& environment);
// format.dns1123Label() and others.
void AddNamedFormats(Environment& environment);
// Unusable without an authorizer.
void AddAuthorizationFunctions(Environment& environment);
// x.includes(y)
void AddIncludes(Environment& environment);

// The environment of all expressions of Kubernetes: all of them but AddIncludes, and no variables.
const Environment& KubernetesEnvironment();

}  // namespace berth::cel
