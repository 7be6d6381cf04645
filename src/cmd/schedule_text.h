// Formats the report of `berth schedule` as text.
#pragma once

#include <string>

#include "cmd/schedule_run.h"

namespace berth::cmd {

// Returns a table with one row per pod, the explanations if there are any, and a summary line.
std::string ToText(const ScheduleReport& report);

}  // namespace berth::cmd
