// Runs the conformance cases without a cluster: quantities and selectors.
#pragma once

#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"

namespace berth::cmd {

// Runs a row of quantities.jsonl. Values that do not fit in 64 bits are not compared, since
// kube-scheduler wraps them.
Result<Differences> RunQuantity(JsonFields::Value row);

// Runs a row of selectors.jsonl: a label selector, a node selector or a toleration.
Result<Differences> RunSelector(JsonFields::Value row);

}  // namespace berth::cmd
