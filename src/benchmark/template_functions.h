// The functions that actions of a GoTemplate can call: those of scheduler_perf, and the comparisons
// and connectives of Go's own that make sense here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "benchmark/go_template.h"

namespace berth::benchmark {

// A function of some arguments. The error says what is wrong with them.
using TemplateFunction = Result<TemplateValue> (*)(std::span<const TemplateValue> arguments);

// Returns null if there is no such function.
TemplateFunction FindTemplateFunction(std::string_view name);

// Returns what an action prints.
std::string PrintValue(const TemplateValue& value);
// Reports whether {{if}} takes the value for true: it is not zero and not empty.
bool IsTrue(const TemplateValue& value);

}  // namespace berth::benchmark
