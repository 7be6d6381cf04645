// Formats the report of `berth schedule` as JSON or YAML; docs/cli.md describes the fields.
#pragma once

#include <string>

#include "cmd/schedule_run.h"

namespace berth::cmd {

std::string ToJson(const ScheduleReport& report);
std::string ToYaml(const ScheduleReport& report);

}  // namespace berth::cmd
