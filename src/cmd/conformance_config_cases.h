// Cases that hold a configuration file: which are accepted, with what effect, and the errors of the
// others.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// Adds a difference for each place, named by its path below `path`, at which the two differ. The
// order of an object's fields does not matter.
void CompareJson(std::string_view path, const api::Json& expected, const api::Json& actual,
                 Differences& differences);

// Runs a row of config.jsonl. `registry` makes the plugins; those that it lacks are not expected.
// Points that take part in gang scheduling only (placementGenerate, placementScore) are not
// compared.
Result<Differences> RunConfig(JsonFields::Value row,
                              const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
