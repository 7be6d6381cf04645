// Runs the conformance cases of device selectors: the result or the class of error, and the cost.
#pragma once

#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"

namespace berth::cmd {

// Runs a row of cel.jsonl. Fails if the row does not have the documented format. With `paranoid`
// the selector is evaluated once more, which must not change anything.
Result<Differences> RunDeviceSelector(JsonFields::Value row, bool paranoid);

}  // namespace berth::cmd
