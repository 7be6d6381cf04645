// The report of `berth schedule` as JSON or YAML, for programs; docs/cli.md describes the
// structure.
#pragma once

#include <string>

#include "cmd/schedule_run.h"

namespace berth::cmd {

std::string ToJson(const ScheduleReport& report);
std::string ToYaml(const ScheduleReport& report);

}  // namespace berth::cmd
