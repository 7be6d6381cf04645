// Runs the conformance cases with a configuration file: the effective configuration, or its errors.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// Appends a difference for each path below `path` at which the two differ. The order of an object's
// fields is ignored.
void CompareJson(std::string_view path, const api::Json& expected, const api::Json& actual,
                 Differences& differences);

// Runs a row of config.jsonl with the plugins of `registry`; plugins that it lacks are not
// expected.
Result<Differences> RunConfig(JsonFields::Value row,
                              const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
