// Prints the report of `berth schedule` for people.
#pragma once

#include <string>

#include "cmd/schedule_run.h"

namespace berth::cmd {

// A table with a line for each pod, each with its explanation below if it has one, then a summary.
std::string ToText(const ScheduleReport& report);

// Why nodes were rejected, how the others scored, and whom preemption would remove.
std::string ToText(const ExplanationSummary& summary);

}  // namespace berth::cmd
