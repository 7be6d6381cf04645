// Prints the answers of `berth why`.
#pragma once

#include <string>
#include <string_view>

#include "api/json/json.h"
#include "cmd/why_cluster.h"
#include "cmd/why_options.h"
#include "cmd/why_times.h"

namespace berth::cmd {

TimeFormat TimesOf(const WhyOptions& options, const WhyCluster& cluster);

// Prints `text`, or `document` in the format of --output, and what could not be read. Returns the
// exit code.
int PrintAnswer(const WhyOptions& options, const WhyCluster& cluster, const std::string& text,
                api::JsonObject document);

// Returns what could not be read, as text; empty if nothing was left out.
std::string LeftOutText(const WhyCluster& cluster);

// Prints the error, and returns the exit code.
int WhyFailed(std::string_view message);

}  // namespace berth::cmd
