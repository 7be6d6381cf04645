// Compares JSON values, and says where they differ.
#pragma once

#include <string_view>

#include "api/json/json_value.h"
#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// Adds a difference for each place, named by its path below `path`, at which the two differ. The
// order of an object's fields does not matter; numbers are compared by their text.
void CompareJson(std::string_view path, const api::JsonValue& expected,
                 const api::JsonValue& actual, Differences& differences);

// Runs the cases that hold a configuration file: what is accepted, with what effect, and what is
// wrong with the rest.
// A row of config.jsonl. Plugins are made by `registry`; those that it leaves out are not expected.
// Points that take part in gang scheduling only (placementGenerate, placementScore) are not
// compared.
Result<Differences> RunConfig(JsonFields::Value row,
                              const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
