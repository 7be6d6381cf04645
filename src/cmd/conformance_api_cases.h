// Runs the cases that need no cluster: quantities and selectors.
#pragma once

#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"

namespace berth::cmd {

// A row of quantities.jsonl. Values that do not fit 64 bits are not compared, since kube-scheduler
// wraps them.
Result<Differences> RunQuantity(JsonFields::Value row);

// A row of selectors.jsonl: a label selector, a node selector or a toleration.
Result<Differences> RunSelector(JsonFields::Value row);

}  // namespace berth::cmd
