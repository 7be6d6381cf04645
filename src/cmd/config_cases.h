// Runs the cases that hold a configuration file: what is accepted, with what effect, and what is
// wrong with the rest.
#pragma once

#include "base/result.h"
#include "cmd/comparison.h"
#include "cmd/json_fields.h"
#include "framework/registry.h"

namespace berth {

// A row of config.jsonl. Plugins are made by `registry`; those that it leaves out are not expected.
// Points that take part in gang scheduling only (placementGenerate, placementScore) are not
// compared.
Result<Differences> RunConfig(JsonFields::Value row, const Registry& registry);

}  // namespace berth
